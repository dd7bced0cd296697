/** When a payment arrived, from the chain's clock and ours (docs/payments.md, "When a payment arrived"). */
import type { ObservedPayment, Poll } from '../../payments/chains/watcher.ts';
import type { ChainState } from './chain-states.store.ts';

/** Polls within this time date a payment better than the chain's clock if that may be hours off. */
const POLLS_APART_MS_MAX = 2 * 60_000;

/** The times of a poll, by the clock of the database, like those of invoices. */
export interface PollTimes {
  seenAt: Date;
  /** The previous poll; undefined if it did not reach the head, or if there was none. */
  previousAt: Date | undefined;
  clockErrorMs: Poll['clockErrorMs'];
}

export interface Arrival {
  arrivedAt: Date;
  /** An invoice that is newer than the arrival by no more than this may have been paid. */
  slackMs: number;
}

export function previousPollAt({
  polledAt,
  headHeight,
  scannedHeight,
}: Pick<ChainState, 'polledAt' | 'headHeight' | 'scannedHeight'>): Date | undefined {
  return polledAt !== null && scannedHeight === headHeight ? polledAt : undefined;
}

export function toArrival(
  { arrivedAt }: Pick<ObservedPayment, 'arrivedAt'>,
  { seenAt, previousAt, clockErrorMs }: PollTimes,
): Arrival {
  const byChain = Math.min(arrivedAt.getTime(), seenAt.getTime());
  if (clockErrorMs <= POLLS_APART_MS_MAX) return { arrivedAt: new Date(byChain), slackMs: clockErrorMs };
  if (!previousAt) return { arrivedAt: new Date(byChain), slackMs: 0 };
  const isPollRecent = seenAt.getTime() - previousAt.getTime() <= POLLS_APART_MS_MAX;
  return { arrivedAt: isPollRecent ? seenAt : new Date(Math.max(byChain, previousAt.getTime())), slackMs: 0 };
}
