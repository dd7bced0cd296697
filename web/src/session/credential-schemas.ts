import { bareCode } from '@cellhop/contract/typed-codes.values';
import { z } from 'zod';

/** Exists in forms only; the API gets the password once. */
export const confirmPassword = z.string().min(1);

export function isConfirmed({ password, confirmPassword }: Passwords): boolean {
  return password === confirmPassword;
}

/** For `refine(isConfirmed, confirmation)`. */
export const confirmation = {
  path: ['confirmPassword'],
  error: 'passwordsDiffer',
  // Compared even while other fields are invalid, but not if the field is empty, which is an error already.
  when: ({ value }: { value: unknown }) => (value as Passwords).confirmPassword !== '',
};

interface Passwords {
  password: string;
  confirmPassword: string;
}

/** Six digits of an authenticator app, which shows them in two groups. */
export const appCodeSchema = z
  .string()
  .overwrite(bareCode)
  .regex(/^\d{6}$/, { error: ({ input }) => (input === '' ? 'required' : 'sixDigits') });
