import type { EndReason } from './connections.ts';

/**
 * Why a gateway refuses a client of a connection: the names that its metrics and the `Proxy-Status` of its HTTP responses have, too. A
 * destination that fails is no refusal. A newer gateway may send others.
 */
export const refusalReasons = [
  'invalid-credentials',
  'too-many-failed-logins',
  'ended-no-money',
  'ended-by-user',
  'ended-by-staff',
  'ended-idle',
  'ended-exit-lost',
  'ended-at-cap',
  'ended',
  'no-credit',
  'cap-reached',
  'destination-prohibited',
  'destination-refused',
  'port-prohibited',
  'connection-limit',
  'node-full',
  'fair-share-exceeded',
  'draining',
  'exit-unavailable',
  'upstream-refused',
  'udp-unsupported',
] as const;
export type RefusalReason = (typeof refusalReasons)[number];

/** The refusal of a client that has the right password of an ended connection. */
export const refusalsOfEnds = {
  USER: 'ended-by-user',
  ADMIN: 'ended-by-staff',
  IDLE: 'ended-idle',
  NO_MONEY: 'ended-no-money',
  EXIT_LOST: 'ended-exit-lost',
  CAP: 'ended-at-cap',
} as const satisfies Record<EndReason, RefusalReason>;
