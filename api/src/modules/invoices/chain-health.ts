/** Whether a chain can be used for new invoices: when its nodes work, its newest block is recent, and its blocks are read. */
import { blocksIn, descriptors } from '../../payments/chains/descriptors.ts';
import type { ChainState } from './chain-states.store.ts';

const MINUTE_MS = 60_000;
/** A short failure of a node does not make the chain unavailable. */
const UNAVAILABLE_FOR_MS = 2 * MINUTE_MS;
const POLLED_WITHIN_MS = 5 * MINUTE_MS;
/** The blocks of this time, but at least some blocks, may still have to be read. */
const LAG_MAX_MS = 5 * MINUTE_MS;
const LAG_BLOCKS_MIN = 3;

export type ChainProblem =
  | 'PAUSED'
  | 'NEVER_POLLED'
  | 'UNAVAILABLE'
  | 'NOT_POLLED'
  | 'OLD_HEAD'
  | 'BEHIND'
  | 'NOT_FINAL';

/** @returns undefined if the chain is healthy */
export function findProblem(state: ChainState, now: Date): ChainProblem | undefined {
  const { pausedAt, polledAt, unavailableSince, headAt, headHeight, scannedHeight, chain } = state;
  const age = (date: Date | null) => now.getTime() - (date?.getTime() ?? 0);
  if (pausedAt) return 'PAUSED';
  if (!polledAt) return 'NEVER_POLLED';
  if (unavailableSince && age(unavailableSince) > UNAVAILABLE_FOR_MS) return 'UNAVAILABLE';
  if (age(polledAt) > POLLED_WITHIN_MS) return 'NOT_POLLED';
  if (age(headAt) > descriptors[chain].pace.headAgeMaxMs) return 'OLD_HEAD';
  const lagMax = Math.max(LAG_BLOCKS_MIN, blocksIn(chain, LAG_MAX_MS));
  if ((headHeight ?? 0n) - (scannedHeight ?? 0n) > BigInt(lagMax)) return 'BEHIND';
  return isFinalising(state) ? undefined : 'NOT_FINAL';
}

/** Otherwise payments would be shown and never credited. */
function isFinalising({ chain, scannedHeight, finalizedHeight }: ChainState): boolean {
  const limitMs = descriptors[chain].pace.finalWithinMs;
  if (limitMs === undefined || finalizedHeight === null) return true;
  return (scannedHeight ?? 0n) - finalizedHeight <= BigInt(blocksIn(chain, limitMs));
}
