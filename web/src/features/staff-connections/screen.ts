import type { ConnectionStatus } from '@cellhop/contract/connections';
import { connectionSorts } from '@cellhop/contract/staff/lists.values';
import { IconPlugConnected } from '@tabler/icons-react';
import {
  dayParameter,
  idParameter,
  oneOf,
  pageSearch,
  textParameter,
  searchParameters,
} from '../../loading/search-values.ts';
import { addressParameter } from '../staff-parts/address-parameter.ts';
import { momentsSearch } from '../staff-parts/continuation.ts';
import type { StaffScreenOf } from '../staff-parts/staff-screen.ts';

export const statuses = [
  'WORK',
  'NOT_WORK',
  'DISCONNECT_USER',
  'DISCONNECT_ADMIN',
  'NO_MONEY',
] as const satisfies readonly ConnectionStatus[];

export const staffConnectionsSearch = searchParameters((search) => ({
  ...pageSearch(search),
  ...momentsSearch(search),
  userId: idParameter(search['userId']),
  /** One connection, from a link. */
  id: idParameter(search['id']),
  status: oneOf(search['status'], statuses),
  /** The name of the gateway. */
  node: textParameter(search['node']),
  /** The exit IP. */
  ip: addressParameter(search['ip']),
  /** Who had the exit IP at this time: `2026-11-21T14:05`, in the time zone of the browser. */
  at: minuteParameter(search['at']),
  /** Address of a client. */
  client: addressParameter(search['client']),
  /** Days of the purchase, such as 2026-11-21, both included. */
  from: dayParameter(search['from']),
  to: dayParameter(search['to']),
  /** The connection whose details are open. */
  connection: idParameter(search['connection']),
  /** Default: the newest first. */
  sort: oneOf(search['sort'], connectionSorts.slice(1)),
}));

export type StaffConnectionsSearch = ReturnType<typeof staffConnectionsSearch>;

export const staffConnectionsScreen = {
  path: '/admin/connections',
  permission: 'CONNECTIONS_READ',
  texts: ['staffMoney', 'staffConnections', 'staffDestinations', 'proxyConnection', 'receipt'],
  search: staffConnectionsSearch,
  title: { en: 'Customer connections', ru: 'Подключения клиентов' },
  menuItem: { en: 'Connections', ru: 'Подключения' },
  Icon: IconPlugConnected,
} as const satisfies StaffScreenOf<'GET /v1/proxies/connections/admin'>;

function minuteParameter(value: unknown): string | undefined {
  const [, day, time] = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)$/.exec(textParameter(value) ?? '') ?? [];
  if (day === undefined || dayParameter(day) === undefined) return undefined;
  return Number.isNaN(Date.parse(`${day}T${time}`)) ? undefined : `${day}T${time}`;
}
