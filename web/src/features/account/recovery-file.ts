/** What the reader keeps: whose codes these are, and one code in each line. */
export function recoveryFile(brandName: string, heading: string, codes: readonly string[]) {
  const slug = brandName.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, '-');
  return { name: `${slug}-recovery-codes.txt`, text: `${heading}\n\n${codes.join('\n')}\n` };
}
