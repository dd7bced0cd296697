/** Requests of the dialog's forms, which are loaded on demand. */
import { ApiError } from '@cellhop/contract/client';
import type { ConnectionChange } from '@cellhop/contract/connections';
import { useTranslation } from 'react-i18next';
import { call } from '../../data/http.ts';
import { apiQuery, SUMS_THROTTLE_MS } from '../../data/query.ts';
import { useAction } from '../../data/use-action.ts';
import { useApiQuery } from '../../data/use-api-query.ts';
import { replaceRow } from './api.ts';

export function useConnectionAccess(id: string) {
  const dependencies = { topics: ['connections'], throttleMs: SUMS_THROTTLE_MS } as const;
  return useApiQuery(apiQuery('GET /v1/proxies/connections/{id}/access', { params: { id } }, dependencies));
}

/** Refusals of these codes are shown at the field. */
const fieldCodes = new Set(['VALIDATION', 'CAP_USED_UP', 'ADDRESS_NOT_USED']);

export function isFieldRefusal(error: unknown): error is ApiError {
  return error instanceof ApiError && fieldCodes.has(error.code);
}

export function useControl(successText: () => string) {
  return useAction({
    call: async ({ id, ...body }: ConnectionChange & { id: string }) =>
      (await call('PATCH /v1/proxies/connections/{id}', { params: { id }, body })).data,
    onSuccess: replaceRow,
    successText,
    onError: (error) => (isFieldRefusal(error) ? 'HANDLED' : undefined),
    changes: ['connections'],
  });
}

export function useNewPassword() {
  const { t } = useTranslation('proxyConnection');
  return useAction({
    call: async (id: string, withKey) =>
      (await call('POST /v1/proxies/connections/{id}/credentials', { params: { id } }, withKey())).data,
    onSuccess: replaceRow,
    successText: () => t('controls.password.done'),
    changes: ['connections'],
  });
}
