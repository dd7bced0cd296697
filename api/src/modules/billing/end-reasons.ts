import type { ConnectionStatus, EndReason } from '@cellhop/contract/connections';

/** The only status transitions: an open connection ends once, with a status that depends on the reason. */
export const statusByEndReason: Record<EndReason, Exclude<ConnectionStatus, 'WORK'>> = {
  USER: 'DISCONNECT_USER',
  ADMIN: 'DISCONNECT_ADMIN',
  NO_MONEY: 'NO_MONEY',
  IDLE: 'NOT_WORK',
  EXIT_LOST: 'NOT_WORK',
  CAP: 'NOT_WORK',
};

/** After a lost exit the unused prepaid megabytes are refunded at any age of the connection. */
export function isRefundable(reason: EndReason, ageMs: number, refundWindowMs: number): boolean {
  return reason === 'EXIT_LOST' || ageMs < refundWindowMs;
}

/** Ends that customers do not cause themselves and may want to act on at once, so they are mailed too. */
export const mailedReasons = ['NO_MONEY', 'IDLE', 'EXIT_LOST'] as const satisfies EndReason[];
export type MailedReason = (typeof mailedReasons)[number];

export function isMailedReason(reason: EndReason): reason is MailedReason {
  return mailedReasons.some((each) => each === reason);
}
