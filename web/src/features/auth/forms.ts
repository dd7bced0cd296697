/** The schemas of the forms, apart from that of sign-in. */
import { emailBody, secondFactorCodeSchema, setPasswordBody, signUpBody } from '@cellhop/contract/auth.forms';
import { z } from 'zod';
import { appCodeSchema, confirmation, confirmPassword, isConfirmed } from '../../session/credential-schemas.ts';

export const secondFactorForms = {
  APP: z.object({ code: appCodeSchema }),
  RECOVERY_CODE: z.object({ code: secondFactorCodeSchema }),
};
export const restoreForm = emailBody;

export const signUpForm = signUpBody
  .omit({ languageCode: true })
  .extend({ confirmPassword })
  .refine(isConfirmed, confirmation);

export const setPasswordForm = setPasswordBody
  .omit({ code: true })
  .extend({ confirmPassword })
  .refine(isConfirmed, confirmation);
