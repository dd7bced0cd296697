import { z } from 'zod';
import { dollarsSchema, languageCodeSchema } from './fields.ts';
import { EASY_PASSWORD } from './fields.values.ts';
import {
  EMAIL_LENGTH_MAX,
  PASSWORD_LENGTH_MAX,
  PASSWORD_LENGTH_MIN,
  REFERRAL_CODE_LENGTH_MAX,
  REFERRAL_CODE_LENGTH_MIN,
} from './limits.ts';
import { bareCode } from './typed-codes.values.ts';

/** Product specification, section 5: letters, digits and ._%+- before @, a domain, a top-level part of at least 2 letters. */
const EMAIL_PATTERN = /^[A-Za-z0-9._%+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,}$/;

export const emailSchema = z.string().min(1).max(EMAIL_LENGTH_MAX).regex(EMAIL_PATTERN, 'Invalid email format');
export const passwordSchema = z.string().min(PASSWORD_LENGTH_MIN).max(PASSWORD_LENGTH_MAX);
/** A new password. Older passwords may be weaker and stay valid for sign-in. */
export const newPasswordSchema = passwordSchema.refine((password) => !isTrivial(password), EASY_PASSWORD);

const DISTINCT_CHARACTERS_MIN = 4;

/**
 * Few distinct characters, or a repeated short text. The API refuses more passwords. For a password of invalid length
 * only the length is reported: an aborted check would keep the form from comparing both password fields.
 */
function isTrivial(password: string): boolean {
  if (!passwordSchema.safeParse(password).success) return false;
  const text = password.toLowerCase().trim();
  return new Set(text).size < DISTINCT_CHARACTERS_MIN || /^(.{1,4})\1+$/su.test(text);
}

export const referralCodeSchema = z.string().trim().min(REFERRAL_CODE_LENGTH_MIN).max(REFERRAL_CODE_LENGTH_MAX);

export const signUpBody = z.strictObject({
  languageCode: languageCodeSchema,
  email: emailSchema,
  password: newPasswordSchema,
  referralCode: referralCodeSchema,
});
export type SignUpBody = z.infer<typeof signUpBody>;

/** A code of the authenticator app (6 digits) or one of the recovery codes. */
export const secondFactorCodeSchema = z.string().overwrite(bareCode).min(6).max(20);

/** If `secondFactorCode` is missing, SECOND_FACTOR_REQUIRED is returned once email and password are correct. */
export const signInBody = z.strictObject({
  email: emailSchema,
  password: passwordSchema,
  secondFactorCode: secondFactorCodeSchema.optional(),
});
export type SignInBody = z.infer<typeof signInBody>;

export const emailBody = z.strictObject({ email: emailSchema });
export const setPasswordBody = z.strictObject({ code: z.string().min(1).max(200), password: newPasswordSchema });
export type SetPasswordBody = z.infer<typeof setPasswordBody>;

export const changePasswordBody = z.strictObject({ currentPassword: passwordSchema, password: newPasswordSchema });
export type ChangePasswordBody = z.infer<typeof changePasswordBody>;

export const deleteAccountBody = z.strictObject({
  password: passwordSchema,
  /** Of an account with two-factor sign-in. */
  secondFactorCode: secondFactorCodeSchema.optional(),
  /** US dollars that the user gives up. A greater balance is refused, also if the end of a connection refunds something. */
  waivedBalance: dollarsSchema.min(0).optional(),
});
export type DeleteAccountBody = z.infer<typeof deleteAccountBody>;
