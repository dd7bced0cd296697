import { secondFactorCodeSchema } from '@cellhop/contract/auth.forms';
import { z } from 'zod';

/** Authenticator apps show the code in two groups, and users type the space. */
const withoutSpaces = (text: string) => text.replaceAll(/\s/g, '');

/** Six digits of an authenticator app. */
export const appCodeSchema = z
  .string()
  .overwrite(withoutSpaces)
  .regex(/^\d{6}$/, { error: ({ input }) => (input === '' ? 'required' : 'sixDigits') });

/** A code of the app or a recovery code; the server distinguishes them. */
export const anyCodeSchema = z.string().overwrite(withoutSpaces).pipe(secondFactorCodeSchema);
