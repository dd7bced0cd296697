import { ApiError } from '@cellhop/contract/client';
import type { ConnectionCheck } from '@cellhop/contract/connection-checks';
import type { Connection } from '@cellhop/contract/connections';
import type { ConnectionFileFormat } from '@cellhop/contract/connections.values';
import type { EndpointOutput } from '@cellhop/contract/endpoints';
import { PAGE_SIZE_MAX } from '@cellhop/contract/limits';
import { useTranslation } from 'react-i18next';
import { toLimitMinutes } from '../../data/error-text.ts';
import { downloadText } from '../../data/download-text.ts';
import { call, callForData } from '../../data/http.ts';
import { showBalance } from '../../session/profile.ts';
import { apiQuery, type Dependencies, invalidate, pageQuery, queryClient, SUMS_THROTTLE_MS } from '../../data/query.ts';
import { useAction } from '../../data/use-action.ts';
import { useApiQuery } from '../../data/use-api-query.ts';
import { useList } from '../../data/use-list.ts';
import { useOnChange } from '../../hooks/use-last-value.ts';
import { useHasBeenIdle } from '../../loading/idle.ts';
import { showToast } from '../../ui/toasts.ts';
import { showEndToasts } from './connection-end-toasts.ts';
import type { RefusedReturn } from './disconnect-dialogs.tsx';

/** A hundred thousand charges take some seconds. */
const FILE_TIMEOUT_MS = 300_000;

type ConnectionsResponse = EndpointOutput<'GET /v1/proxies/connections'>;

export function useConnections(page: number, filter: ConnectionFilter = {}, isEnabled = true) {
  return useList(connectionsQuery(page, filter), { isBusy: isLive, isEnabled });
}

/** For one connection, regardless of its page. */
export function connectionQuery(id: string) {
  return apiQuery('GET /v1/proxies/connections', { query: { id, ...pageQuery(1) } }, { topics: ['connections'] });
}

/** All open connections, for dialogs about several of them. */
export function useActiveConnections(isEnabled: boolean) {
  const query = { page: 1, size: PAGE_SIZE_MAX, active: 'true' } as const;
  return useList(apiQuery('GET /v1/proxies/connections', { query }, { topics: ['connections'] }), { isEnabled });
}

/** Saves all open connections as a file for other programs. */
export function useExportConnections() {
  return useAction({
    call: async (format: ConnectionFileFormat) => ({
      format,
      text: await call('GET /v1/proxies/connections/export', { query: { format } }, { timeoutMs: FILE_TIMEOUT_MS }),
    }),
    onSuccess: ({ format, text }) => downloadText(`proxies.${format}`, text),
  });
}

export function useLabel() {
  const { t } = useTranslation('proxyConnection');
  return useAction({
    call: ({ id, label }: Pick<Connection, 'id' | 'label'>) =>
      callForData('PATCH /v1/proxies/connections/{id}', { params: { id }, body: { label } }),
    onSuccess: replaceRow,
    successText: () => t('label.saved'),
    changes: ['connections'],
  });
}

/** How often the outcome of a running check is asked for, and how often at most: longer than the API waits for the gateway. */
const CHECK_POLL_MS = 1000;
const CHECK_POLLS_MAX = 25;

/** Lets the exit of a connection be checked. A check that still runs at the end counts as unanswered. */
export function useConnectionCheck() {
  return useAction({ call: checkUntilAnswered });
}

async function checkUntilAnswered(id: string): Promise<ConnectionCheck> {
  for (let polls = 1; ; polls += 1) {
    const check = await callForData('POST /v1/proxies/connections/{id}/check', { params: { id } });
    if (check.state !== 'RUNNING') return check;
    if (polls === CHECK_POLLS_MAX) return { ...check, state: 'UNANSWERED' };
    await new Promise((resolve) => setTimeout(resolve, CHECK_POLL_MS));
  }
}

/** Ends a connection and buys another proxy in its place. */
export function useReplace() {
  const { t } = useTranslation('proxyConnection');
  return useAction({
    call: (id: string) => callForData('POST /v1/proxies/connections/{id}/replace', { params: { id } }),
    onSuccess: ({ currentBalance }) => showBalance(currentBalance),
    successText: ({ isReplaced, connection: { ip } }) =>
      isReplaced ? t('replace.done', { ip }) : { warning: t('replace.sold', { ip }) },
    onError: (error) => {
      if (!(error instanceof ApiError && error.code === 'PROXY_NOT_FOUND')) return undefined;
      showToast('warning', t('replace.none'));
      return 'HANDLED';
    },
    changes: ['connections', 'balance'],
  });
}

/** The outcome arrives with the list. */
export function useRotate() {
  return useAction({
    call: (id: string) => callForData('POST /v1/proxies/connections/{id}/rotate', { params: { id } }),
    changes: ['connections'],
  });
}

/** Makes a link that changes the address; an earlier one stops working. */
export function useRotationLink() {
  const { t } = useTranslation('proxyConnection');
  return useAction({
    call: (id: string) => callForData('POST /v1/proxies/connections/{id}/rotation-link', { params: { id } }),
    successText: () => t('rotation.link.made'),
    changes: ['connections'],
  });
}

export function useTimer() {
  const { t } = useTranslation('proxyConnection');
  return useAction({
    call: ({ id, rotateEveryMinutes }: { id: string; rotateEveryMinutes: number | null }) =>
      callForData('PATCH /v1/proxies/connections/{id}', { params: { id }, body: { rotateEveryMinutes } }),
    onSuccess: replaceRow,
    successText: () => t('rotation.timer.saved'),
    changes: ['connections'],
  });
}

/** The last addresses of a connection whose address can be changed. */
export function useAddresses(connection: Connection) {
  const query = apiQuery(
    'GET /v1/proxies/connections/{id}/addresses',
    { params: { id: connection.id } },
    { topics: ['connections'] },
  );
  return useApiQuery(query, { isEnabled: isLive(connection) && Boolean(connection.rotation) });
}

/** Ends several connections, one after the other. One that fails does not keep the others open. */
export function useDisconnectSeveral() {
  const { t } = useTranslation('proxyConnection');
  return useAction({
    call: async (ids: readonly string[]) => {
      let ended = 0;
      let failure: unknown;
      for (const id of ids) {
        try {
          const { data } = await call('POST /v1/proxies/connections/{id}/disconnect', { params: { id } });
          ended += 1;
          await showBalance(data.currentBalance);
        } catch (error) {
          failure = error;
        }
      }
      if (failure !== undefined) throw failure;
      return ended;
    },
    successText: (count) => t('several.done', { count }),
    changes: ['connections', 'balance'],
  });
}

/**
 * Whether traffic may cost money now, so that the balance is polled more often; and then the balance at the moment of the
 * shown costs.
 */
export function useLiveConnections(): { hasLive: boolean; balance: number | undefined } {
  const { response } = useApiQuery(connectionsQuery(1), {
    isBusy: ({ data }) => data.some(isLive),
    isEnabled: useHasBeenIdle(),
  });
  const rows = response?.data;
  const statuses = rows?.map(({ status }) => status).join();
  useOnChange(statuses, (before) => {
    // A new connection was paid for, and an ended one may have been refunded.
    if (before !== undefined) void invalidate(['balance']);
  });
  useOnChange(rows, (before) => {
    if (before !== undefined) showEndToasts(before, rows ?? []);
  });
  const hasLive = rows?.some(isLive) === true;
  return { hasLive, balance: hasLive ? response?.balance : undefined };
}

/** The charges of a connection. Polled while it is active, and fetched again when it has ended. */
export function useReceipt(connection: Connection, page: number) {
  const params = { id: connection.id };
  const dependencies: Dependencies = { topics: ['balance', 'connections'], throttleMs: SUMS_THROTTLE_MS };
  const isPolled = isLive(connection);
  const charges = useApiQuery(
    apiQuery('GET /v1/proxies/connections/{id}/charges', { params, query: pageQuery(page) }, dependencies),
    {
      isPolled,
      keepsPrevious: true,
    },
  );
  const cost = useApiQuery(apiQuery('GET /v1/proxies/connections/{id}/cost', { params }, dependencies), { isPolled });
  // The last charge and the refund are posted at the end, when polling has stopped.
  useOnChange(connection.status, () => {
    charges.refetch();
    cost.refetch();
  });
  return { charges, cost };
}

export type ReceiptFileKind = 'json' | 'csv';

/** The full receipt as a file; it may have any number of charges. */
export function useReceiptFile({ id }: Connection) {
  return useAction({
    call: (_kind: ReceiptFileKind) =>
      callForData('GET /v1/proxies/connections/{id}/receipt', { params: { id } }, { timeoutMs: FILE_TIMEOUT_MS }),
  });
}

interface Disconnection {
  connection: Connection;
  isRefundWaived: boolean;
}

/** @param onRefused too many unused connections were returned: the user may wait, or give up the refund */
export function useDisconnect(onRefused: (refused: RefusedReturn) => void) {
  const { t } = useTranslation('proxyConnection');
  return useAction({
    call: ({ connection: { id }, isRefundWaived }: Disconnection) =>
      callForData(
        isRefundWaived
          ? 'POST /v1/proxies/connections/{id}/disconnect-without-refund'
          : 'POST /v1/proxies/connections/{id}/disconnect',
        { params: { id } },
      ),
    lockFor: ({ connection }) => connection.id,
    onSuccess: async ({ currentBalance, ...connection }) => {
      await queryClient.cancelQueries({ queryKey: ['GET /v1/proxies/connections'] });
      replaceRow(connection);
      await showBalance(currentBalance);
    },
    successText: ({ refundStatus, ip }) => t(refundStatus === 'REFUNDED' ? 'refunded' : 'disconnected', { ip }),
    onError: (error, { connection }) => {
      const minutes = toLimitMinutes(error);
      if (minutes === undefined || connection.trafficUsed > 0) return undefined;
      onRefused({ connection, minutes });
      return 'HANDLED';
    },
    changes: ['connections'],
  });
}

export function isLive({ status }: Connection): boolean {
  return status === 'WORK';
}

interface ConnectionFilter {
  active?: true | undefined;
  search?: string | undefined;
}

function connectionsQuery(page: number, { active, search }: ConnectionFilter = {}) {
  const query = {
    ...pageQuery(page),
    ...(active && { active: 'true' as const }),
    ...(search !== undefined && { search }),
  };
  // Contains the balance, from the same snapshot as the costs.
  return apiQuery('GET /v1/proxies/connections', { query }, { topics: ['connections', 'balance'] });
}

export function replaceRow(connection: Connection): void {
  queryClient.setQueriesData<ConnectionsResponse>({ queryKey: ['GET /v1/proxies/connections'] }, (response) =>
    response === undefined
      ? response
      : { ...response, data: response.data.map((row) => (row.id === connection.id ? connection : row)) },
  );
}
