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
