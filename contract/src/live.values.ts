import type { Permission } from './permissions.ts';

/** Returns `text/event-stream`, so it has no typed client. Requires the access token like other endpoints. */
export const LIVE_EVENTS_PATH = '/v1/events';

export const liveTopics = ['balance', 'connections', 'invoices', 'notifications', 'tickets'] as const;

export type LiveTopic = (typeof liveTopics)[number];

interface StaffTopicRules {
  /** What a stream needs to receive it. */
  permission: Permission;
  /** A change of a user's data with this topic also changes the list. Other topics are announced by themselves. */
  follows?: LiveTopic;
}

/** Topics of staff lists, which show data of all users. */
export const staffTopics = {
  'staff-adjustments': { permission: 'TRANSACTIONS_READ' },
  'staff-catalogue': { permission: 'PROXIES_READ' },
  'staff-connections': { permission: 'CONNECTIONS_READ', follows: 'connections' },
  'staff-invoices': { permission: 'PAYMENTS_READ', follows: 'invoices' },
  'staff-promo-codes': { permission: 'PROMO_CODES_READ' },
  'staff-settlements': { permission: 'PAYMENTS_READ' },
  'staff-tickets': { permission: 'TICKETS_READ', follows: 'tickets' },
  'staff-transactions': { permission: 'TRANSACTIONS_READ', follows: 'balance' },
  'staff-users': { permission: 'USERS_READ', follows: 'balance' },
} as const satisfies Record<`staff-${string}`, StaffTopicRules>;

export type StaffTopic = keyof typeof staffTopics;
