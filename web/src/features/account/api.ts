import type { SaveAlertSettingsBody } from '@cellhop/contract/alerts';
import type { Company } from '@cellhop/contract/company';
import {
  changePasswordBody,
  type ChangePasswordBody,
  type DeleteAccountBody,
  passwordSchema,
  secondFactorCodeSchema,
} from '@cellhop/contract/auth.forms';
import { useTranslation } from 'react-i18next';
import { z } from 'zod';
import { call, callForData } from '../../data/http.ts';
import { downloadText } from '../../data/download-text.ts';
import { isPasswordRefused } from '../../data/form-errors.ts';
import { confirmation, confirmPassword, isConfirmed, appCodeSchema } from '../../session/credential-schemas.ts';
import { apiQuery } from '../../data/query.ts';
import { endSession, tokens } from '../../session/tokens.ts';
import { shownInForm, useAction } from '../../data/use-action.ts';
import { useApiQuery } from '../../data/use-api-query.ts';

export const changePasswordForm = changePasswordBody.extend({ confirmPassword }).refine(isConfirmed, confirmation);
export const passwordForm = z.object({ password: passwordSchema });
export const appCodeForm = z.object({ code: appCodeSchema });
/** Confirmation that is required to change two-factor sign-in. */
export const proofForm = z.object({ password: passwordSchema, code: secondFactorCodeSchema });
/** A code only where two-factor sign-in is on. */
export const deletionForm = proofForm.extend({ code: z.string().trim().optional() });
export type Proof = z.infer<typeof proofForm>;

const sessionsQuery = apiQuery('GET /v1/auth/sessions', {}, { topics: ['account'] });
const secondFactorQuery = apiQuery('GET /v1/auth/second-factor', {}, { topics: ['account'] });

const alertsQuery = apiQuery('GET /v1/profile/alerts', {}, { topics: ['account'] });

export function useAlertSettings() {
  return useApiQuery(alertsQuery);
}

export function useSaveAlertSettings() {
  const { t } = useTranslation('user');
  return useAction({
    call: (body: SaveAlertSettingsBody) => call('PUT /v1/profile/alerts', { body }),
    successText: () => t('alerts.saved'),
    changes: ['account'],
  });
}

const companyQuery = apiQuery('GET /v1/profile/company', {}, { topics: ['account'] });

export function useCompany() {
  return useApiQuery(companyQuery);
}

export function useSaveCompany() {
  const { t } = useTranslation('user');
  return useAction({
    call: (body: Company) => call('PUT /v1/profile/company', { body }),
    successText: () => t('company.saved'),
    changes: ['account'],
  });
}

/** Polled, because sessions begin and end on other devices. */
export function useSessions() {
  return useApiQuery(sessionsQuery, { isPolled: true });
}

export function useSecondFactor() {
  return useApiQuery(secondFactorQuery);
}

export function useRevokeSession() {
  const { t } = useTranslation('user');
  return useAction({
    call: (id: string) => call('DELETE /v1/auth/sessions/{id}', { params: { id } }),
    successText: () => t('sessions.ended'),
    changes: ['account'],
  });
}

export function useRevokeOtherSessions() {
  const { t } = useTranslation('user');
  return useAction<void, { revokedCount: number }>({
    call: () => callForData('POST /v1/auth/sessions/revoke-others', {}),
    successText: ({ revokedCount }) => t('sessions.endedOthers', { count: revokedCount }),
    changes: ['account'],
  });
}

/** @param onPasswordRefused the new password is too easy to guess */
export function useChangePassword(onPasswordRefused: () => void) {
  const { t } = useTranslation('user');
  return useAction({
    call: (body: ChangePasswordBody) => call('POST /v1/auth/password', { body }),
    successText: () => t('password.done'),
    onError: (error) => {
      if (isPasswordRefused(error)) onPasswordRefused();
      return 'HANDLED';
    },
    changes: ['account'],
  });
}

export function useSetUpSecondFactor() {
  return useAction({
    call: (body: { password: string }) => callForData('POST /v1/auth/second-factor/set-up', { body }),
    onError: shownInForm,
  });
}

/** Returns the recovery codes, which no later response contains. */
export function useEnableSecondFactor() {
  return useAction({
    call: async (body: { code: string }) =>
      (await callForData('POST /v1/auth/second-factor/enable', { body })).recoveryCodes,
    onError: shownInForm,
    changes: ['account'],
  });
}

export function useRenewRecoveryCodes() {
  return useAction({
    call: async (body: Proof) =>
      (await callForData('POST /v1/auth/second-factor/recovery-codes', { body })).recoveryCodes,
    onError: shownInForm,
    changes: ['account'],
  });
}

export function useDisableSecondFactor() {
  const { t } = useTranslation('user');
  return useAction({
    call: (body: Proof) => call('POST /v1/auth/second-factor/disable', { body }),
    successText: () => t('disable.done'),
    onError: shownInForm,
    changes: ['account'],
  });
}

/** Afterwards the tabs of this browser show the sign-in page. */
export function useDeleteAccount() {
  return useAction({
    call: (body: DeleteAccountBody) => callForData('POST /v1/profile/delete', { body }),
    onSuccess: () => {
      const pair = tokens.get();
      if (pair !== undefined) endSession(pair);
    },
    onError: shownInForm,
    changes: ['balance', 'connections'],
  });
}

/** A long history takes some seconds. */
const DOWNLOAD_TIMEOUT_MS = 300_000;

export function useDownloadData() {
  return useAction({
    call: () => call('GET /v1/profile/export', {}, { timeoutMs: DOWNLOAD_TIMEOUT_MS }),
    onSuccess: (json) => downloadText(`account-${new Date().toISOString().slice(0, 10)}.json`, json),
  });
}
