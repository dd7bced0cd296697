import type { Permission } from './permissions.ts';

/** Returns `text/event-stream`, so it has no typed client. Requires the access token like other endpoints. */
export const LIVE_EVENTS_PATH = '/v1/events';

export const liveTopics = ['balance', 'connections', 'invoices', 'notifications', 'tickets'] as const;

export type LiveTopic = (typeof liveTopics)[number];

/** Topics of staff's lists, which show things of all users, and the permission that a stream needs to receive each. */
export const staffTopics = {
  'staff-catalogue': 'PROXIES_READ',
  'staff-connections': 'CONNECTIONS_READ',
  'staff-invoices': 'PAYMENTS_READ',
  'staff-tickets': 'TICKETS_READ',
} as const satisfies Record<`staff-${string}`, Permission>;

export type StaffTopic = keyof typeof staffTopics;

/** All that streams carry. */
export const streamedTopics: readonly (LiveTopic | StaffTopic)[] = [
  ...liveTopics,
  ...(Object.keys(staffTopics) as StaffTopic[]),
];
