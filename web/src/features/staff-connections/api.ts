import type { EndConnectionsBody, RefundConnectionBody, StaffConnection } from '@cellhop/contract/staff/connections';
import { useTranslation } from 'react-i18next';
import { callForData } from '../../data/http.ts';
import { apiQuery, pageQuery, staffDependencies } from '../../data/query.ts';
import { useAction } from '../../data/use-action.ts';
import { useApiQuery } from '../../data/use-api-query.ts';
import { useList } from '../../data/use-list.ts';
import { toLimitedRange } from '../staff-parts/continuation.ts';
import { useWaiting } from '../staff-parts/approval-hint.tsx';
import type { StaffConnectionsSearch } from './screen.ts';

/** The filter as the API takes it. */
export function toConnectionsQuery(search: StaffConnectionsSearch) {
  const { userId, id, status, node, ip, client } = search;
  // Without an address, a time says nothing.
  const at = ip === undefined || search.at === undefined ? undefined : toMoment(search.at);
  const range = toLimitedRange(search);
  return { userId, id, status, node, ip, at, client, createdFrom: range.from, createdTo: range.to };
}

/** @param time in the time zone of the browser, such as 2026-11-21T14:05 */
export const toMoment = (time: string): string => new Date(time).toISOString();

export function useConnectionsOfUsers(search: StaffConnectionsSearch) {
  const query = { ...pageQuery(search.page ?? 1), ...toConnectionsQuery(search), sort: search.sort };
  return useList(apiQuery('GET /v1/proxies/connections/admin', { query }, staffDependencies('staff-connections')));
}

/** Who had an exit IP at a time. */
export function useHolders(ip: string, time: string) {
  const query = { ...pageQuery(1), ip, at: toMoment(time) };
  return useList(apiQuery('GET /v1/proxies/connections/admin', { query }, staffDependencies('staff-connections')));
}

/** @param id undefined while no dialog is open */
export function useConnectionOfUser(id: string | undefined) {
  const query = { ...pageQuery(1), id: id ?? '' };
  return useList(apiQuery('GET /v1/proxies/connections/admin', { query }, staffDependencies('staff-connections')), {
    isEnabled: id !== undefined,
  });
}

/** The charges of a connection, newest first. */
export function useCharges(id: string, page: number) {
  const input = { params: { id }, query: pageQuery(page) };
  return useApiQuery(
    apiQuery('GET /v1/proxies/connections/admin/{id}/charges', input, staffDependencies('staff-connections')),
    { keepsPrevious: true },
  );
}

interface End {
  connection: StaffConnection;
  reason: string | undefined;
}

export function useEndConnection() {
  const { t } = useTranslation('staffConnections');
  return useAction({
    call: ({ connection, reason }: End) =>
      callForData('POST /v1/proxies/connections/admin/{id}/disconnect', {
        params: { id: connection.id },
        body: { reason },
      }),
    successText: ({ ip }) => t('end.done', { ip }),
    changes: ['staff-connections', 'staff-transactions'],
  });
}

/** Gateways have five seconds for their last reports, and each connection is billed. */
const BULK_TIMEOUT_MS = 60_000;

export function useEndConnections() {
  const { t } = useTranslation('staffConnections');
  return useAction({
    call: (body: EndConnectionsBody) =>
      callForData('POST /v1/proxies/connections/admin/disconnect', { body }, { timeoutMs: BULK_TIMEOUT_MS }),
    successText: (results) => t('endSelected.done', { count: results.length }),
    changes: ['staff-connections', 'staff-transactions'],
  });
}

interface Refund extends RefundConnectionBody {
  connection: StaffConnection;
}

export function useRefund(userId: string) {
  const { t } = useTranslation('staffConnections');
  const waiting = useWaiting('ADJUSTMENT', userId);
  return useAction({
    call: ({ connection: { id }, ...body }: Refund, withKey) =>
      callForData('POST /v1/proxies/connections/admin/{id}/refund', { params: { id }, body }, withKey()),
    successText: ({ status }, { connection: { ip } }) =>
      status === 'PENDING' ? waiting(t('refund.waits', { ip })) : t('refund.done', { ip }),
    changes: ['staff-connections', 'staff-transactions', 'staff-adjustments'],
  });
}
