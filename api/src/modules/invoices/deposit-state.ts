/**
 * The state of a deposit after a poll of its chain. FINAL -> CREDITED, CREDITED -> REVERSED and REVERSED -> CREDITED happen
 * elsewhere, together with their transfers; this function never does or undoes them.
 */
import { blocksIn } from '../../payments/chains/descriptors.ts';
import type { Chain } from '../../payments/currencies.ts';

export const depositStates = ['SEEN', 'INCLUDED', 'FINAL', 'CREDITED', 'ORPHANED', 'REPLACED', 'REVERSED'] as const;
export type DepositState = (typeof depositStates)[number];

export interface DepositFacts {
  /** It is in a block of the current chain. */
  isIncluded: boolean;
  /** It is final by the rule for its amount; false unless included. */
  isFinal: boolean;
  /** It is in the memory pool; undefined if the pool was not read, or only an outdated one. */
  isPooled: boolean | undefined;
  /** It was in a block that has left the chain. */
  isOrphaned: boolean;
}

export function nextState(current: DepositState, facts: DepositFacts): DepositState {
  if (current === 'CREDITED' || current === 'REVERSED') return current;
  if (facts.isIncluded) return facts.isFinal ? 'FINAL' : 'INCLUDED';
  if (facts.isPooled === true) return 'SEEN';
  // Another transaction spends the same coins, or the network has dropped this one. It may still return.
  if (facts.isPooled === false) return 'REPLACED';
  if (facts.isOrphaned) return 'ORPHANED';
  return current;
}

/** Whether its money has arrived or is on the way. Others count neither for the payer nor for the status of an invoice. */
export function isCounted(state: DepositState): boolean {
  return state !== 'ORPHANED' && state !== 'REPLACED' && state !== 'REVERSED';
}

/** Transactions that return to the chain do so within minutes, and within a few blocks where blocks are slow. */
const GONE_AFTER_MS = 4 * 60_000;
const GONE_AFTER_BLOCKS_MIN = 20;

/**
 * Whether the credit of a deposit must be reversed: its block has left the chain, and it has not come back.
 * @param missingHeight the scanned height when the deposit was first missing in blocks and in the pool
 * @param isPoolWatched then one more block is enough: it proves that the deposit was replaced, and not mined between the reading of the
 * blocks and of the pool
 */
export function isGone(
  chain: Chain,
  missingHeight: number | undefined,
  { scannedHeight, isPoolWatched }: { scannedHeight: number; isPoolWatched: boolean },
): boolean {
  if (missingHeight === undefined) return false;
  const blocks = isPoolWatched ? 1 : Math.max(GONE_AFTER_BLOCKS_MIN, blocksIn(chain, GONE_AFTER_MS));
  return scannedHeight >= missingHeight + blocks;
}
