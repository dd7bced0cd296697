import { plain } from './endpoint.ts';
import type * as full from './auth.ts';

/**
 * An optional header of `signIn` with the `deviceToken` of an earlier one: failed sign-ins of strangers do not count against this device.
 * It is not a field of the body, so an API of the previous release ignores it.
 */
export const DEVICE_TOKEN_HEADER = 'x-device-token';

export const signUp = plain<typeof full.signUp>({ method: 'POST', url: '/v1/auth/sign-up', access: 'public' });
export const resendConfirmation = plain<typeof full.resendConfirmation>({
  method: 'POST',
  url: '/v1/auth/confirm-email/resend',
  access: 'public',
});
export const signIn = plain<typeof full.signIn>({ method: 'POST', url: '/v1/auth/sign-in', access: 'public' });
export const refreshTokens = plain<typeof full.refreshTokens>({
  method: 'POST',
  url: '/v1/auth/refresh-tokens',
  access: 'public',
});
export const logout = plain<typeof full.logout>({ method: 'POST', url: '/v1/auth/logout', access: 'user' });
export const recoverPassword = plain<typeof full.recoverPassword>({
  method: 'POST',
  url: '/v1/auth/recovery-password',
  access: 'public',
});
export const resendRecovery = plain<typeof full.resendRecovery>({
  method: 'POST',
  url: '/v1/auth/recovery-password/{sessionId}/resend',
  access: 'public',
});
export const setPassword = plain<typeof full.setPassword>({
  method: 'POST',
  url: '/v1/auth/recovery-password/set-password',
  access: 'public',
});
export const listSessions = plain<typeof full.listSessions>({
  method: 'GET',
  url: '/v1/auth/sessions',
  access: 'user',
});
export const revokeSession = plain<typeof full.revokeSession>({
  method: 'DELETE',
  url: '/v1/auth/sessions/{id}',
  access: 'user',
});
export const revokeOtherSessions = plain<typeof full.revokeOtherSessions>({
  method: 'POST',
  url: '/v1/auth/sessions/revoke-others',
  access: 'user',
});
export const changePassword = plain<typeof full.changePassword>({
  method: 'POST',
  url: '/v1/auth/password',
  access: 'user',
});
export const getSecondFactor = plain<typeof full.getSecondFactor>({
  method: 'GET',
  url: '/v1/auth/second-factor',
  access: 'user',
});
export const setUpSecondFactor = plain<typeof full.setUpSecondFactor>({
  method: 'POST',
  url: '/v1/auth/second-factor/set-up',
  access: 'user',
});
export const enableSecondFactor = plain<typeof full.enableSecondFactor>({
  method: 'POST',
  url: '/v1/auth/second-factor/enable',
  access: 'user',
});
export const renewRecoveryCodes = plain<typeof full.renewRecoveryCodes>({
  method: 'POST',
  url: '/v1/auth/second-factor/recovery-codes',
  access: 'user',
});
export const disableSecondFactor = plain<typeof full.disableSecondFactor>({
  method: 'POST',
  url: '/v1/auth/second-factor/disable',
  access: 'user',
});
