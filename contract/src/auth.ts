import { z } from 'zod';
import { endpoint } from './endpoint.ts';
import {
  changePasswordBody,
  emailBody,
  passwordSchema,
  secondFactorCodeSchema,
  setPasswordBody,
  signInBody,
  signUpBody,
} from './auth.forms.ts';
import { data, dateSchema, epochMsSchema, idParams, idSchema } from './schemas.ts';
import { profileSchema } from './users.ts';

export {
  emailSchema,
  passwordSchema,
  newPasswordSchema,
  referralCodeSchema,
  signUpBody,
  secondFactorCodeSchema,
  signInBody,
  emailBody,
  setPasswordBody,
  changePasswordBody,
  type SignUpBody,
  type SignInBody,
  type SetPasswordBody,
  type ChangePasswordBody,
} from './auth.forms.ts';

const tokenSchema = z.string().min(1).max(2000);
/** `expiredAccessTokenAt`: epoch milliseconds. */
export const tokensSchema = z.object({
  accessToken: tokenSchema,
  refreshToken: tokenSchema,
  expiredAccessTokenAt: epochMsSchema,
});
export type Tokens = z.infer<typeof tokensSchema>;

/** `deviceToken`: stored on this device, also after log-out. */
export const signInResultSchema = tokensSchema.extend({ deviceToken: z.string(), profile: profileSchema });
export type SignInResult = z.infer<typeof signInResultSchema>;

/** When the next email may be requested: epoch milliseconds. */
export const resendSchema = z.object({ nextSendingAllowedIn: epochMsSchema });
export const recoverySchema = resendSchema.extend({ sessionId: idSchema });

export const signUp = endpoint({
  method: 'POST',
  url: '/v1/auth/sign-up',
  access: 'public',
  summary: 'Create an account; a confirmation email is sent',
  body: signUpBody,
  response: data(resendSchema),
  status: 201,
  errors: ['VALIDATION', 'REFERRAL_CODE_NOT_FOUND', 'EMAIL_EXISTS', 'RATE_LIMITED'],
});

/**
 * The link of the confirmation email: GET shows a page, whose form posts the code to the same path, which redirects (302) to
 * `/public-message`, with `signIn` in the browser that signed up. Neither has a typed client.
 */
export const CONFIRM_EMAIL_PATH = '/v1/auth/confirm-email';
/** The link of the email about a reset of the second factor: GET shows a page, whose form posts the code to the same path, which stops it. */
export const SECOND_FACTOR_RESET_PATH = '/v1/auth/second-factor/reset';
/** The query of such a link, and the fields of the form. */
export const linkCodeInput = z.strictObject({ code: z.string().min(1).max(200) });

export const resendConfirmation = endpoint({
  method: 'POST',
  url: '/v1/auth/confirm-email/resend',
  access: 'public',
  summary: 'Send the confirmation email again',
  body: emailBody,
  response: data(resendSchema),
  errors: ['SESSION_NOT_FOUND', 'RESEND_INTERVAL', 'RESEND_LIMIT', 'RATE_LIMITED'],
});

/**
 * The redirect after the confirmation carries `signIn` where the browser has the cookie of its sign-up. `id` is its value; the cookie is
 * the proof.
 */
export const signInAsConfirmed = endpoint({
  method: 'POST',
  url: '/v1/auth/confirm-email/sign-in',
  access: 'public',
  summary: 'Open a session in the browser that signed up, once, within five minutes of the confirmation',
  body: z.strictObject({ id: idSchema }),
  response: data(signInResultSchema),
  errors: ['SESSION_NOT_FOUND', 'RATE_LIMITED'],
});

export const signIn = endpoint({
  method: 'POST',
  url: '/v1/auth/sign-in',
  access: 'public',
  summary: 'Open a session',
  body: signInBody,
  response: data(signInResultSchema),
  errors: [
    'INVALID_CREDENTIALS',
    'EMAIL_NOT_CONFIRMED',
    'ACCOUNT_BLOCKED',
    'SECOND_FACTOR_REQUIRED',
    'SECOND_FACTOR_INVALID',
    'RATE_LIMITED',
  ],
});

export const refreshTokens = endpoint({
  method: 'POST',
  url: '/v1/auth/refresh-tokens',
  access: 'public',
  summary: 'Exchange a pair of tokens for the next one',
  body: z.strictObject({ accessToken: tokenSchema, refreshToken: tokenSchema }),
  response: data(tokensSchema),
  errors: ['REFRESH_REJECTED', 'ACCOUNT_BLOCKED', 'RATE_LIMITED'],
});

export const logout = endpoint({
  method: 'POST',
  url: '/v1/auth/logout',
  access: 'user',
  summary: 'End this session',
  response: data(z.object({ endedAt: dateSchema })),
});

export const recoverPassword = endpoint({
  method: 'POST',
  url: '/v1/auth/recovery-password',
  access: 'public',
  summary: 'Send an email with a link to set a new password',
  body: emailBody,
  response: data(recoverySchema),
  errors: ['EMAIL_NOT_CONFIRMED', 'RESEND_INTERVAL', 'RESEND_LIMIT', 'RATE_LIMITED'],
});

export const resendRecovery = endpoint({
  method: 'POST',
  url: '/v1/auth/recovery-password/{sessionId}/resend',
  access: 'public',
  summary: 'Send the recovery email again',
  params: z.strictObject({ sessionId: idSchema }),
  response: data(recoverySchema),
  errors: ['SESSION_NOT_FOUND', 'SESSION_EXPIRED', 'RESEND_INTERVAL', 'RESEND_LIMIT', 'RATE_LIMITED'],
});

export const setPassword = endpoint({
  method: 'POST',
  url: '/v1/auth/recovery-password/set-password',
  access: 'public',
  summary: 'Set a new password with the code of the recovery email; ends all sessions',
  body: setPasswordBody,
  response: data(z.object({ changedAt: dateSchema })),
  errors: ['VALIDATION', 'SESSION_NOT_FOUND', 'SESSION_EXPIRED'],
});

export const sessionSchema = z.object({
  id: idSchema,
  /** Browser and operating system from the User-Agent, such as "Firefox on Windows". */
  device: z.string(),
  ip: z.string(),
  createdAt: dateSchema,
  usedAt: dateSchema,
  isCurrent: z.boolean(),
});
export type Session = z.infer<typeof sessionSchema>;

export const listSessions = endpoint({
  method: 'GET',
  url: '/v1/auth/sessions',
  access: 'user',
  summary: "The user's open sessions: the current one first, then by last use",
  response: data(z.array(sessionSchema)),
});

export const revokeSession = endpoint({
  method: 'DELETE',
  url: '/v1/auth/sessions/{id}',
  access: 'user',
  summary: 'End one session',
  params: idParams,
  response: data(z.object({ id: idSchema })),
  errors: ['NOT_FOUND'],
});

export const revokeOtherSessions = endpoint({
  method: 'POST',
  url: '/v1/auth/sessions/revoke-others',
  access: 'user',
  summary: 'End all sessions but the current one',
  response: data(z.object({ revokedCount: z.int().nonnegative() })),
});

export const changePassword = endpoint({
  method: 'POST',
  url: '/v1/auth/password',
  access: 'user',
  summary: 'Change the password with the old one; ends all other sessions',
  body: changePasswordBody,
  response: data(z.object({ changedAt: dateSchema })),
  errors: ['WRONG_PASSWORD', 'VALIDATION', 'RATE_LIMITED'],
});

export const secondFactorSchema = z.object({
  isOn: z.boolean(),
  /** The user's role requires two-factor sign-in; it cannot be switched off. */
  isRequired: z.boolean(),
  onSince: dateSchema.nullable(),
  recoveryCodesLeft: z.int().nonnegative(),
});
export type SecondFactor = z.infer<typeof secondFactorSchema>;

export const getSecondFactor = endpoint({
  method: 'GET',
  url: '/v1/auth/second-factor',
  access: 'user',
  summary: 'Whether two-factor sign-in is on',
  response: data(secondFactorSchema),
});

/** A secret that takes effect with `enableSecondFactor`. `secret` is Base32; `uri` is the content of the QR code. */
export const setUpSecondFactor = endpoint({
  method: 'POST',
  url: '/v1/auth/second-factor/set-up',
  access: 'user',
  summary: 'Create a new secret for an authenticator app',
  body: z.strictObject({ password: passwordSchema }),
  response: data(z.object({ secret: z.string(), uri: z.string() })),
  errors: ['WRONG_PASSWORD', 'SECOND_FACTOR_ON', 'RATE_LIMITED'],
});

/** Shown once; each code replaces the authenticator app for one sign-in. */
const recoveryCodes = data(z.object({ recoveryCodes: z.array(z.string()) }));

export const enableSecondFactor = endpoint({
  method: 'POST',
  url: '/v1/auth/second-factor/enable',
  access: 'user',
  summary: 'Switch two-factor sign-in on with a code of the new secret; ends all other sessions',
  body: z.strictObject({ code: secondFactorCodeSchema }),
  response: recoveryCodes,
  errors: ['SECOND_FACTOR_INVALID', 'SECOND_FACTOR_ON', 'RATE_LIMITED'],
});

const passwordAndCode = z.strictObject({ password: passwordSchema, code: secondFactorCodeSchema });

export const renewRecoveryCodes = endpoint({
  method: 'POST',
  url: '/v1/auth/second-factor/recovery-codes',
  access: 'user',
  summary: 'Create new recovery codes; the old ones stop working',
  body: passwordAndCode,
  response: recoveryCodes,
  errors: ['WRONG_PASSWORD', 'SECOND_FACTOR_INVALID', 'SECOND_FACTOR_OFF', 'RATE_LIMITED'],
});

export const disableSecondFactor = endpoint({
  method: 'POST',
  url: '/v1/auth/second-factor/disable',
  access: 'user',
  summary: 'Switch two-factor sign-in off',
  body: passwordAndCode,
  response: data(secondFactorSchema),
  errors: ['WRONG_PASSWORD', 'SECOND_FACTOR_INVALID', 'SECOND_FACTOR_OFF', 'FORBIDDEN', 'RATE_LIMITED'],
});
