import { readFileSync } from 'node:fs';

/** Relative to both `src/` and the bundle in `dist/`. One password per line, lower case, sorted. */
const file = new URL('../data/common-passwords.txt', import.meta.url);

let list: string | undefined;

/**
 * Whether the password is in the list of common passwords, ignoring case. Searching 168 kB of text takes less than 0.1 ms and
 * needs no further memory.
 */
export function isCommonPassword(password: string): boolean {
  list ??= `\n${readFileSync(file, 'utf8')}`;
  return list.includes(`\n${password.toLowerCase()}\n`);
}
