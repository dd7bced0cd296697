import { secondFactorCodeSchema } from '@cellhop/contract/auth.forms';
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

/** Authenticator apps show the code in two groups, and users type the space. */
const withoutSpaces = (text: string) => text.replaceAll(/\s/g, '');

/** Six digits of an authenticator app. */
export const appCodeSchema = z
  .string()
  .overwrite(withoutSpaces)
  .regex(/^\d{6}$/, { error: ({ input }) => (input === '' ? 'required' : 'sixDigits') });

/** A code of the app or a recovery code; the server distinguishes them. */
export const anyCodeSchema = z.string().overwrite(withoutSpaces).pipe(secondFactorCodeSchema);
