import { secondFactorCodeSchema } from '@cellhop/contract/auth';
import { z } from 'zod';

/** Apps show their code as two groups, and so people type it. */
const withoutSpaces = (text: string) => text.replaceAll(/\s/g, '');

/** Six digits of an authenticator app. */
export const appCodeSchema = z
  .string()
  .overwrite(withoutSpaces)
  .regex(/^\d{6}$/, { error: ({ input }) => (input === '' ? 'required' : 'sixDigits') });

/** A code of the app or a recovery code, which the server tells apart. */
export const anyCodeSchema = z.string().overwrite(withoutSpaces).pipe(secondFactorCodeSchema);
