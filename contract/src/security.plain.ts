import { plain } from './endpoint.ts';
import type * as full from './security.ts';

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
