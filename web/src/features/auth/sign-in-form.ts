/** Loaded when the form is used: the page of sign-in needs no validation before. */
import { signInBody } from '@cellhop/contract/auth.forms';
import { formErrorMap } from '../../data/form-errors.ts';
import type { Credentials } from './sign-in-state.ts';

const signInForm = signInBody.omit({ secondFactorCode: true });

interface FieldError {
  type: string;
  message: string;
}
export type SignInErrors = { [Field in keyof Credentials]?: FieldError };

/** The credentials to send, or what is wrong with each field. */
export function checkSignIn(typed: Credentials): { credentials?: Credentials; errors: SignInErrors } {
  const { data, error } = signInForm.safeParse(typed, { error: formErrorMap });
  if (error === undefined) return { credentials: data, errors: {} };
  const errors = error.issues.map(({ path, code, message }) => [path[0], { type: code, message }] as const);
  // The first error of a field is shown.
  return { errors: Object.fromEntries(errors.toReversed()) };
}
