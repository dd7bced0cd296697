/** The file for the user: the account, and one code per line. */
export function recoveryFile(brandName: string, heading: string, codes: readonly string[]) {
  const words = brandName.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return { name: `${[...words, 'recovery', 'codes'].join('-')}.txt`, text: `${heading}\n\n${codes.join('\n')}\n` };
}
