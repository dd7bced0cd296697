import type { Connection } from '@cellhop/contract/connections';
import { disconnect, disconnectWithoutRefund, listConnections } from '@cellhop/contract/connections.plain';
import type { Output } from '@cellhop/contract/endpoint';
import { getConnectionCost, getReceipt, listCharges } from '@cellhop/contract/receipts.plain';
import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query';
import { showErrorToast } from '../../lib/error-text.ts';
import { call } from '../../lib/http.ts';
import { usePollInterval } from '../../lib/live.ts';
import { reloadProfile, showBalance } from '../../lib/profile.ts';
import { useOnChange } from '../../lib/use-on-change.ts';
import { apiQuery, queryClient } from '../../lib/query.ts';
import { tellOfEndings } from './endings.ts';
import { useIsDrawn } from '../../lib/when-idle.ts';

/** A hundred thousand charges take some seconds. */
const RECEIPT_TIMEOUT_MS = 300_000;

type ConnectionsAnswer = Output<typeof listConnections>;

/** Asks again while somebody looks: every two seconds while a connection works, else for what other programs bought. */
export function useConnections(page: number) {
  // Whoever opens the page wants to see what is now.
  return useWatchedConnections(page, { staleTime: 0 });
}

function useWatchedConnections(page: number, options: { staleTime?: number; enabled?: boolean }) {
  const pollInterval = usePollInterval();
  return useQuery({
    ...connectionsQuery(page),
    ...options,
    // The number of pages stays in sight while another page loads.
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => pollInterval(state.data?.data.some(isLive) === true),
  });
}

/** Whether traffic may cost money right now, which is when the shown balance must follow. */
export function useHasLiveConnection(): boolean {
  const { data } = useWatchedConnections(1, { enabled: useIsDrawn() });
  const statuses = data?.data.map(({ status }) => status).join();
  useOnChange(statuses, (before) => {
    // A beginning was paid, and an end may have brought a refund.
    if (before !== undefined) void reloadProfile();
  });
  useOnChange(data?.data, (before) => {
    if (before !== undefined) tellOfEndings(before, data?.data ?? []);
  });
  return data?.data.some(isLive) === true;
}

/** What was charged; asked for when somebody looks at it, again while the connection works, and once it has ended. */
export function useBill(connection: Connection, page: number) {
  const pollInterval = usePollInterval();
  const watching = { staleTime: 0, refetchInterval: isLive(connection) ? pollInterval(false) : (false as const) };
  const params = { id: connection.id };
  const charges = useQuery({
    ...apiQuery(listCharges, { params, query: { page } }),
    ...watching,
    // The number of pages stays in sight while another page loads.
    placeholderData: keepPreviousData,
  });
  const cost = useQuery({ ...apiQuery(getConnectionCost, { params }), ...watching });
  // The last charge and the refund are made at the end, when nobody would ask any more.
  useOnChange(connection.status, () => {
    void charges.refetch();
    void cost.refetch();
  });
  return { charges, cost };
}

export type ReceiptFileKind = 'json' | 'csv';

/** The whole receipt, for a file: it may have any number of charges. */
export function useReceiptFile({ id }: Connection) {
  return useMutation({
    mutationFn: async (_kind: ReceiptFileKind) =>
      (await call(getReceipt, { params: { id } }, { timeoutMs: RECEIPT_TIMEOUT_MS })).data,
    onError: showErrorToast,
  });
}

export function useDisconnect() {
  return useMutation({
    mutationFn: async ({ id, isRefundWaived }: { id: string; isRefundWaived: boolean }) =>
      (await call(isRefundWaived ? disconnectWithoutRefund : disconnect, { params: { id } })).data,
    onSuccess: async ({ currentBalance, ...connection }) => {
      await queryClient.cancelQueries({ queryKey: [listConnections.url] });
      replaceRow(connection);
      await showBalance(currentBalance);
    },
  });
}

export function isLive({ status }: Connection): boolean {
  return status === 'WORK';
}

function connectionsQuery(page: number) {
  return apiQuery(listConnections, { query: { page } });
}

function replaceRow(connection: Connection): void {
  queryClient.setQueriesData<ConnectionsAnswer>({ queryKey: [listConnections.url] }, (answer) =>
    answer === undefined
      ? answer
      : { ...answer, data: answer.data.map((row) => (row.id === connection.id ? connection : row)) },
  );
}
