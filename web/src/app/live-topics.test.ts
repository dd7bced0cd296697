import { type Connection, listConnections } from '@cellhop/contract/connections';
import { listInvoices } from '@cellhop/contract/invoices';
import { streamedTopics } from '@cellhop/contract/live';
import { type LiveTopic, type StaffTopic } from '@cellhop/contract/live.values';
import { listNotifications } from '@cellhop/contract/notifications';
import { getConnectionCost, listCharges } from '@cellhop/contract/receipts';
import {
  listAdjustmentRequests,
  listPromoCodeRequests,
  listSettlementRequests,
} from '@cellhop/contract/staff/approvals';
import { listAllConnections } from '@cellhop/contract/staff/connections';
import { getDashboard } from '@cellhop/contract/staff/dashboard';
import { listAllInvoices } from '@cellhop/contract/staff/invoices';
import { countTicketViews, getAnyTicket, listAllTickets, listAnyTicketMessages } from '@cellhop/contract/staff/tickets';
import { getTimeline } from '@cellhop/contract/staff/timeline';
import { listUserTransactions } from '@cellhop/contract/staff/transactions';
import { getUser, listUsers } from '@cellhop/contract/staff/users';
import { getTicket, listTicketMessages, listTickets } from '@cellhop/contract/tickets';
import { listTransactions } from '@cellhop/contract/transactions';
import { getUsage } from '@cellhop/contract/usage';
import { getProfile } from '@cellhop/contract/users';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { renderHook } from '../../test/render-hook.ts';

// There is only one tab, and hooks render once.
vi.hoisted(() => vi.stubGlobal('addEventListener', () => undefined));
vi.mock(import('../live/live.ts'), () => ({ usePollInterval: () => () => 0 }));
vi.mock(import('../loading/idle.ts'), () => ({ useHasBeenIdle: () => true }));
const { useReceipt, useConnections } = await import('../features/connections/api.ts');
const { useInvoices } = await import('../features/invoices/api.ts');
const { useNotifications } = await import('../features/notifications/api.ts');
const { useMessages, useTicket, useTickets } = await import('../features/tickets/api.ts');
const { useRequests } = await import('../features/staff-approvals/api.ts');
const { useDashboard } = await import('../features/staff-dashboard/api.ts');
const { useLedger } = await import('../features/staff-ledger/api.ts');
const { useTimeline } = await import('../features/staff-users/api.ts');
const { useUser, useUsers } = await import('../features/staff-users/api.ts');
const { useInventoryChanges, useInventory } = await import('../features/staff-inventory/api.ts');
const { useConnectionsOfUsers } = await import('../features/staff-connections/api.ts');
const { useInvoicesOfUsers } = await import('../features/staff-invoices/api.ts');
const { useAnyMessages, useAnyTicket, useTicketsOfUsers, useViewCounts } =
  await import('../features/staff-tickets/api.ts');
const { useTransactions } = await import('../features/transactions/api.ts');
const { NO_CHOICE } = await import('../features/transactions/choice.ts');
const { useUsage } = await import('../features/usage/api.ts');
const { useProfile } = await import('../session/profile.ts');
const { queryClient } = await import('../data/query.ts');

function topicsBehind(url: string): readonly string[] {
  return queryClient.getQueryCache().find({ queryKey: [`GET ${url}`], exact: false })?.meta?.topics ?? [];
}

beforeAll(() => {
  const connection = { id: 'a', status: 'WORK' } as Connection;
  const range = { from: '2026-11-21T00:00:00Z', to: '2026-11-22T00:00:00Z', step: 'HOUR', timeZone: 'UTC' } as never;
  renderHook(() => {
    useReceipt(connection, 1);
    useConnections(1);
    useInvoices({ page: 1, hasExpired: false });
    useMessages('a', 1);
    useAnyMessages('a', 1);
    useAnyTicket('a');
    useTicketsOfUsers({
      page: 1,
      view: 'all',
      userId: undefined,
      status: undefined,
      words: undefined,
      from: undefined,
      to: undefined,
    });
    useViewCounts();
    useInventory({}, undefined, 1);
    useInventoryChanges();
    useConnectionsOfUsers({});
    useInvoicesOfUsers({} as never);
    useRequests('ADJUSTMENT', {} as never);
    useRequests('SETTLEMENT', {} as never);
    useRequests('PROMO_CODE', {} as never);
    useDashboard(range);
    useLedger('a', {} as never);
    useTimeline('a', {});
    useUser('a');
    useUsers({});
    useNotifications();
    useProfile();
    useTicket('a');
    useTickets(1);
    useTransactions(NO_CHOICE, 1);
    useUsage(range, { connectionId: undefined, sort: undefined });
  }, queryClient);
});
afterAll(() => queryClient.clear());

it('refetches the balance, transactions and bills after a transfer', () => {
  for (const { url } of [getProfile, listTransactions, getUsage, listCharges, getConnectionCost])
    expect(topicsBehind(url)).toContain('balance');
});

it('refetches the list, the charts and the receipt after traffic, but not the transactions', () => {
  for (const { url } of [listConnections, getUsage, listCharges, getConnectionCost])
    expect(topicsBehind(url)).toContain('connections');
  expect(topicsBehind(listTransactions.url)).not.toContain('connections');
});

it.each<[LiveTopic | StaffTopic, readonly { url: string }[]]>([
  ['tickets', [listTickets, getTicket, listTicketMessages]],
  ['staff-tickets', [listAllTickets, getAnyTicket, listAnyTicketMessages, countTicketViews]],
  ['invoices', [listInvoices]],
  ['staff-connections', [listAllConnections]],
  ['staff-invoices', [listAllInvoices]],
  ['staff-adjustments', [listAdjustmentRequests]],
  ['staff-promo-codes', [listPromoCodeRequests]],
  ['staff-settlements', [listSettlementRequests]],
  ['staff-transactions', [listUserTransactions]],
  ['staff-users', [listUsers, getUser, getTimeline]],
  ['notifications', [listNotifications]],
])('lets what shows %s follow them', (topic, endpoints) => {
  for (const { url } of endpoints) expect(topicsBehind(url)).toEqual([topic]);
});

it('lets the dashboard follow what it counts', () => {
  expect(topicsBehind(getDashboard.url)).toEqual([
    'staff-connections',
    'staff-invoices',
    'staff-tickets',
    'staff-transactions',
    'staff-users',
  ]);
});

it('has a query for every topic', () => {
  const all = queryClient.getQueryCache().getAll();
  for (const topic of streamedTopics) expect(all.some(({ meta }) => meta?.topics?.includes(topic))).toBe(true);
});
