import type { TransactionKind } from '@cellhop/contract/transactions';
import { transactionKinds } from '@cellhop/contract/transactions.plain';
import { startOfDay } from '../../lib/day.ts';

/** What the reader filters by. Empty: everything. */
export interface Choice {
  kinds: TransactionKind[];
  /** Days of the reader's calendar, such as 2026-11-21, both included; '' for none. */
  from: string;
  to: string;
}

export const NO_CHOICE: Choice = { kinds: [], from: '', to: '' };

export function isEmpty({ kinds, from, to }: Choice): boolean {
  return kinds.length === 0 && from === '' && to === '';
}

/** A day begins at midnight where the reader is; the server's `to` is the first moment that is not included. */
export function toQuery({ kinds, from, to }: Choice) {
  return {
    ...(kinds.length > 0 && { kind: kinds }),
    ...(from !== '' && { from: startOfDay(from).toISOString() }),
    ...(to !== '' && { to: startOfDay(to, 1).toISOString() }),
  };
}

export function isKind(text: string): text is TransactionKind {
  return transactionKinds.some((kind) => kind === text);
}
