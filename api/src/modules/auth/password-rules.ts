import { newPasswordSchema } from '@cellhop/contract/auth';
import { AppError } from '@cellhop/contract/errors';
import { EASY_PASSWORD } from '@cellhop/contract/fields.values';
import { readFileSync } from 'node:fs';
import { packagePath } from '../../process/package-path.ts';

/**
 * Refuses passwords that attackers try first (NIST SP 800-63B). There are no rules about kinds of characters, because they lead to
 * worse passwords.
 * @param email lower case
 * @throws AppError VALIDATION
 */
export function requireStrongPassword(password: string, email: string, brandName: string): void {
  // Checked here too, because the command line bypasses the endpoint's validation.
  if (!newPasswordSchema.safeParse(password).success) throw refusal(EASY_PASSWORD);
  if (isCommonPassword(password.trim())) throw refusal('is one of the most common passwords; choose another one');
  if (isSequence(password)) throw refusal(EASY_PASSWORD);
  if (password.toLowerCase() === email) throw refusal('must not be the email');
  if (isBrand(password, brandName)) throw refusal('must not be the name of the service');
}

/** Consecutive characters, such as `abcdefgh` and `98765432`. */
function isSequence(password: string): boolean {
  const codes = Array.from(password.toLowerCase(), (character) => character.codePointAt(0)!);
  const steps = new Set(codes.slice(1).map((code, index) => code - codes[index]!));
  return steps.size === 1 && (steps.has(1) || steps.has(-1));
}

/** With or without other characters around it, such as `Cellhop1` and `cellhop2026!`. */
function isBrand(password: string, brandName: string): boolean {
  const core = password.replaceAll(/^[^\p{L}]+|[^\p{L}]+$/gu, '');
  return core !== '' && toWord(core) === toWord(brandName.replaceAll(/^[^\p{L}]+|[^\p{L}]+$/gu, ''));
}

function toWord(text: string): string {
  return text.toLowerCase().replaceAll(/\s/g, '');
}

function refusal(message: string): AppError {
  return AppError.validation([{ path: 'body.password', message }]);
}

/** One password per line, lower case, sorted. */
const file = packagePath('data/common-passwords.txt');

let list: string | undefined;

/**
 * Whether the password is in the list of common passwords, ignoring case. Searching 168 kB of text takes less than 0.1 ms and
 * needs no further memory.
 */
export function isCommonPassword(password: string): boolean {
  list ??= `\n${readFileSync(file, 'utf8')}`;
  return list.includes(`\n${password.toLowerCase()}\n`);
}
