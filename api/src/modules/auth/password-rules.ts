import { AppError } from '@cellhop/contract/errors';
import { isCommonPassword } from '../../common-passwords.ts';

/**
 * What is guessed first is no password (NIST SP 800-63B, section 5.1.1.2). There are no rules about kinds of characters:
 * they make passwords worse.
 * @throws AppError VALIDATION
 */
export function refuseWeakPassword(password: string, email?: string): void {
  if (isCommonPassword(password)) throw refusal('is one of the most common passwords; choose another one');
  if (email !== undefined && password.toLowerCase() === email) throw refusal('must not be the email');
}

function refusal(message: string): AppError {
  return AppError.validation([{ path: 'body.password', message }]);
}
