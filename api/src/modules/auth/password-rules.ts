import { AppError } from '@cellhop/contract/errors';
import { isCommonPassword } from '../../common-passwords.ts';

/**
 * What is guessed first is no password (NIST SP 800-63B). There are no rules about kinds of characters:
 * they make passwords worse.
 * @param email lower case
 * @throws AppError VALIDATION
 */
export function refuseWeakPassword(password: string, email: string): void {
  if (isCommonPassword(password)) throw refusal('is one of the most common passwords; choose another one');
  if (password.toLowerCase() === email) throw refusal('must not be the email');
}

function refusal(message: string): AppError {
  return AppError.validation([{ path: 'body.password', message }]);
}
