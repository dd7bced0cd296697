import type { SetPasswordBody, SignInBody, SignUpBody } from '@cellhop/contract/auth.forms';
import { DEVICE_TOKEN_HEADER } from '@cellhop/contract/auth.values';
import { ApiError } from '@cellhop/contract/client';
import { call, callForData } from '../../data/http.ts';
import { toLocalTime } from '../../data/server-clock.ts';
import { deviceToken, startSession } from '../../session/start-session.ts';

/** @returns whether the session is open, or a second factor is required */
export async function openSession(body: SignInBody): Promise<'OPEN' | 'CODE_REQUIRED'> {
  try {
    const known = deviceToken.get();
    const { data } = await call(
      'POST /v1/auth/sign-in',
      { body },
      known === undefined ? {} : { headers: { [DEVICE_TOKEN_HEADER]: known } },
    );
    await startSession(data);
    return 'OPEN';
  } catch (error) {
    if (error instanceof ApiError && error.code === 'SECOND_FACTOR_REQUIRED') return 'CODE_REQUIRED';
    throw error;
  }
}

export async function createAccount(body: SignUpBody) {
  return withLocalTime(await callForData('POST /v1/auth/sign-up', { body }));
}

export async function requestConfirmation(email: string) {
  return withLocalTime(await callForData('POST /v1/auth/confirm-email/resend', { body: { email } }));
}

export async function requestRecovery(email: string) {
  return withLocalTime(await callForData('POST /v1/auth/recovery-password', { body: { email } }));
}

export async function repeatRecovery(sessionId: string) {
  return withLocalTime(
    await callForData('POST /v1/auth/recovery-password/{sessionId}/resend', { params: { sessionId } }),
  );
}

export async function savePassword(body: SetPasswordBody): Promise<void> {
  await call('POST /v1/auth/recovery-password/set-password', { body });
}

/** Converts to the device's clock, which the countdown uses. */
function withLocalTime<T extends { nextSendingAllowedIn: number }>(response: T): T {
  return { ...response, nextSendingAllowedIn: toLocalTime(response.nextSendingAllowedIn) };
}
