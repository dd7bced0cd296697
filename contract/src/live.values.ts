import type { Permission } from './permissions.ts';

/** Returns `text/event-stream`, so it has no typed client. Requires the access token like other endpoints. */
export const LIVE_EVENTS_PATH = '/v1/events';

export const liveTopics = ['balance', 'connections', 'invoices', 'notifications', 'tickets'] as const;

export type LiveTopic = (typeof liveTopics)[number];

/** Topics of staff lists, which show data of all users, and the permission that a stream needs to receive each. */
export const staffTopics = {
  'staff-adjustments': 'TRANSACTIONS_READ',
  'staff-catalogue': 'PROXIES_READ',
  'staff-connections': 'CONNECTIONS_READ',
  'staff-invoices': 'PAYMENTS_READ',
  'staff-settlements': 'PAYMENTS_READ',
  'staff-tickets': 'TICKETS_READ',
  'staff-transactions': 'TRANSACTIONS_READ',
  'staff-users': 'USERS_READ',
} as const satisfies Record<`staff-${string}`, Permission>;

export type StaffTopic = keyof typeof staffTopics;
