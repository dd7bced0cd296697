/** Splits a plain text at empty lines; a paragraph that starts with `# ` is a heading (contract/src/legal.ts). */
export function legalBlocks(text: string): { isHeading: boolean; text: string }[] {
  return text
    .split(/\r?\n\s*\n/)
    .map((block) => block.trim())
    .filter((block) => block !== '')
    .map((block) => ({ isHeading: block.startsWith('# '), text: block.replace(/^# /, '') }));
}
