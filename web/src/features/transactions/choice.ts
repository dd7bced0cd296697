import { type TransactionKind, transactionKinds } from '@cellhop/contract/transactions.values';
import { startOfDay } from '../../format/day.ts';

/** The filter. Empty values include everything. */
export interface Choice {
  kinds: TransactionKind[];
  /** Days in the user's time zone, such as 2026-11-21, both included; '' for none. */
  from: string;
  to: string;
}

export const NO_CHOICE: Choice = { kinds: [], from: '', to: '' };

export function isEmpty({ kinds, from, to }: Choice): boolean {
  return kinds.length === 0 && from === '' && to === '';
}

/** Days start at midnight in the user's time zone; the API's `to` is exclusive. */
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
