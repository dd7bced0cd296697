import {
  emailBody,
  recoverPassword,
  resendConfirmation,
  resendRecovery,
  setPassword,
  setPasswordBody,
  signIn,
  signInBody,
  type SignInBody,
  signUp,
  signUpBody,
  type SignUpBody,
  type SetPasswordBody,
} from '@cellhop/contract/auth';
import { z } from 'zod';
import { call } from '../../lib/http.ts';
import { saveTokens } from '../../lib/tokens.ts';

export const signInForm = signInBody;
export const restoreForm = emailBody;

/** Exists in forms only; the API gets the password once. */
const confirmPassword = z.string().min(1);
const confirmation = {
  path: ['confirmPassword'],
  error: 'passwordsDiffer',
  // Also while other fields are not valid yet, but not on top of "required".
  when: ({ value }: { value: unknown }) => (value as Passwords).confirmPassword !== '',
};

export const signUpForm = signUpBody
  .omit({ languageCode: true })
  .extend({ confirmPassword })
  .refine(isConfirmed, confirmation);

export const setPasswordForm = setPasswordBody
  .omit({ code: true })
  .extend({ confirmPassword })
  .refine(isConfirmed, confirmation);

export async function openSession(body: SignInBody): Promise<void> {
  const { data } = await call(signIn, { body });
  saveTokens(data);
}

export async function createAccount(body: SignUpBody) {
  return (await call(signUp, { body })).data;
}

export async function requestConfirmation(email: string) {
  return (await call(resendConfirmation, { body: { email } })).data;
}

export async function requestRecovery(email: string) {
  return (await call(recoverPassword, { body: { email } })).data;
}

export async function repeatRecovery(sessionId: string) {
  return (await call(resendRecovery, { params: { sessionId } })).data;
}

export async function savePassword(body: SetPasswordBody): Promise<void> {
  await call(setPassword, { body });
}

interface Passwords {
  password: string;
  confirmPassword: string;
}

function isConfirmed({ password, confirmPassword }: Passwords): boolean {
  return password === confirmPassword;
}
