/** The blocks of docs/sweeping.md, which show what the programs really print. */
import fs from 'node:fs';

export const guide = fs.readFileSync(new URL('../../docs/sweeping.md', import.meta.url), 'utf8');

/** The output after the command in a block of the guide. */
export function shownAfter(mark: string): string {
  const [, block] = guide.split(`<!-- ${mark} -->\n\n\`\`\`\n`);
  const text = block!.slice(0, block!.indexOf('\n```'));
  return text.slice(text.indexOf('\n') + 1);
}

/** Editors remove spaces at the ends of lines. */
export const trimLines = (text: string) => text.replace(/ +$/gm, '').trim();
