/** What the reader keeps: whose codes these are, and one code in each line. */
export function recoveryFile(brandName: string, heading: string, codes: readonly string[]) {
  const words = brandName.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return { name: `${[...words, 'recovery', 'codes'].join('-')}.txt`, text: `${heading}\n\n${codes.join('\n')}\n` };
}
