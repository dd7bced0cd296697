import type { ConnectionStatus, EndReason } from '@cellhop/contract/connections';

/** The only transitions: an open connection ends once, and why decides its status. */
export function statusAfter(reason: EndReason): Exclude<ConnectionStatus, 'WORK'> {
  switch (reason) {
    case 'USER':
      return 'DISCONNECT_USER';
    case 'ADMIN':
      return 'DISCONNECT_ADMIN';
    case 'NO_MONEY':
      return 'NO_MONEY';
    case 'IDLE':
    case 'EXIT_LOST':
      return 'NOT_WORK';
  }
}

/** A lost exit is nobody's use: the unused prepaid part goes back at any age. */
export function isRefundable(reason: EndReason, ageMs: number, refundWindowMs: number): boolean {
  return reason === 'EXIT_LOST' || ageMs < refundWindowMs;
}
