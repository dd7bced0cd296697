import type { ConnectionStatus, EndReason } from '@cellhop/contract/connections';

/** The only transitions: an open connection ends once, and why decides its status. */
export const statusAfter: Record<EndReason, Exclude<ConnectionStatus, 'WORK'>> = {
  USER: 'DISCONNECT_USER',
  ADMIN: 'DISCONNECT_ADMIN',
  NO_MONEY: 'NO_MONEY',
  IDLE: 'NOT_WORK',
  EXIT_LOST: 'NOT_WORK',
  CAP: 'NOT_WORK',
};

/** A lost exit is nobody's use: the unused prepaid part goes back at any age. */
export function isRefundable(reason: EndReason, ageMs: number, refundWindowMs: number): boolean {
  return reason === 'EXIT_LOST' || ageMs < refundWindowMs;
}
