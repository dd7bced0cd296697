/** How signed-in users manage their own access: sessions, password, two-factor sign-in. */
import { z } from 'zod';
import { newPasswordSchema, passwordSchema, secondFactorCodeSchema } from './auth.ts';
import { endpoint } from './endpoint.ts';
import { data, dateSchema, idParams, idSchema } from './schemas.ts';

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

export const changePasswordBody = z.strictObject({ currentPassword: passwordSchema, password: newPasswordSchema });
export type ChangePasswordBody = z.infer<typeof changePasswordBody>;

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

const proof = z.strictObject({ password: passwordSchema, code: secondFactorCodeSchema });

export const renewRecoveryCodes = endpoint({
  method: 'POST',
  url: '/v1/auth/second-factor/recovery-codes',
  access: 'user',
  summary: 'Create new recovery codes; the old ones stop working',
  body: proof,
  response: recoveryCodes,
  errors: ['WRONG_PASSWORD', 'SECOND_FACTOR_INVALID', 'SECOND_FACTOR_OFF', 'RATE_LIMITED'],
});

export const disableSecondFactor = endpoint({
  method: 'POST',
  url: '/v1/auth/second-factor/disable',
  access: 'user',
  summary: 'Switch two-factor sign-in off',
  body: proof,
  response: data(secondFactorSchema),
  errors: ['WRONG_PASSWORD', 'SECOND_FACTOR_INVALID', 'SECOND_FACTOR_OFF', 'FORBIDDEN', 'RATE_LIMITED'],
});
