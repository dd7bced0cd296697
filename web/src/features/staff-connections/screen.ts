import type { ConnectionStatus } from '@cellhop/contract/connections';
import { type ConnectionSort, connectionSorts } from '@cellhop/contract/staff/connections.values';
import { IconPlugConnected } from '@tabler/icons-react';
import { dayOf, idOf, oneOf, pageSearch, type Search, textOf } from '../../loading/search-values.ts';
import { type Moments, momentsSearch } from '../staff-parts/continuation.ts';
import type { StaffScreenOf } from '../staff-parts/staff-screen.ts';

export const statuses = [
  'WORK',
  'NOT_WORK',
  'DISCONNECT_USER',
  'DISCONNECT_ADMIN',
  'NO_MONEY',
] as const satisfies readonly ConnectionStatus[];

export const staffConnectionsScreen = {
  path: '/admin/connections',
  permission: 'CONNECTIONS_READ',
  texts: ['staffConnections', 'proxyConnection'],
  search: staffConnectionsSearch,
  title: 'connections',
  Icon: IconPlugConnected,
} as const satisfies StaffScreenOf<'GET /v1/proxies/connections/admin'>;

export interface StaffConnectionsSearch extends Moments {
  page?: number | undefined;
  userId?: string | undefined;
  /** One connection, from a link. */
  id?: string | undefined;
  status?: ConnectionStatus | undefined;
  /** The exit IP. */
  ip?: string | undefined;
  /** Days of the purchase, such as 2026-11-21, both included. */
  from?: string | undefined;
  to?: string | undefined;
  /** Default: the newest first. */
  sort?: ConnectionSort | undefined;
}

function staffConnectionsSearch(search: Search): StaffConnectionsSearch {
  return {
    ...pageSearch(search),
    ...momentsSearch(search),
    userId: idOf(search['userId']),
    id: idOf(search['id']),
    status: oneOf(search['status'], statuses),
    ip: addressOf(search['ip']),
    from: dayOf(search['from']),
    to: dayOf(search['to']),
    sort: oneOf(search['sort'], connectionSorts.slice(1)),
  };
}

/** The API decides whether it is an address; other texts are not sent. */
function addressOf(value: unknown): string | undefined {
  const text = textOf(value)?.trim();
  return text !== undefined && /^[\d.]{7,15}$|^[\da-f:.]*:[\da-f:.]*$/i.test(text) && text.length <= 45
    ? text
    : undefined;
}
