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
