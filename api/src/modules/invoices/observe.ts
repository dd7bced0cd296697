/**
 * What a poll says about one deposit: its new state. FINAL -> CREDITED, CREDITED -> REVERSED and REVERSED -> CREDITED
 * happen elsewhere, together with their transfers; nothing here does or undoes them.
 */
import { blocksIn } from '../../payments/chains/descriptors.ts';
import type { ObservedPayment, Poll } from '../../payments/chains/watcher.ts';
import type { Chain } from '../../payments/currencies.ts';
import { isFinal, type FinalityRule } from '../../payments/finality.ts';
import type { Observation } from './deposit-changes.store.ts';
import type { Deposit, DepositState } from './deposits.store.ts';
import { highestValueMicros } from './invoice-amounts.ts';

/** A transaction that was seen in time but mined this long after the end of its invoice has arrived when it was mined. */
const STUCK_AFTER_MS = 2 * 3_600_000;

/** The parts of a poll that concern every deposit of its chain. */
export interface ChainFacts {
  head: Poll['head'];
  scannedHeight: number;
  orphanedBlockHashes: ReadonlySet<string>;
  pooledTransactionIds: ReadonlySet<string> | undefined;
  rule: FinalityRule;
  now: Date;
}

/** @param payment of this deposit in the poll, if any */
export function observe(deposit: Deposit, payment: ObservedPayment | undefined, facts: ChainFacts): Observation {
  const { orphanedBlockHashes, scannedHeight, head, rule } = facts;
  const hasLeft = deposit.block !== undefined && orphanedBlockHashes.has(deposit.block.hash);
  // A report of the memory pool may be older than the block.
  const block = payment?.block ?? (hasLeft ? undefined : deposit.block);
  const isPooled = block ? undefined : readPool(deposit, payment, facts);
  const isOrphaned = block === undefined && (hasLeft || deposit.isOrphaned);
  const question = { valueMicros: highestValueMicros(deposit), confirmationsMin: deposit.confirmationsMin };
  const isInFinalBlock = block !== undefined && isFinal(rule, { ...question, blockHeight: block.height }, head);
  const state = nextState(deposit.state, {
    isIncluded: block !== undefined,
    isFinal: isInFinalBlock,
    isPooled,
    isOrphaned,
  });
  const isMissing = deposit.state === 'CREDITED' && isOrphaned && isPooled !== true;
  const watch = { scannedHeight, isPoolWatched: facts.pooledTransactionIds !== undefined };
  return {
    state,
    isReplaceable: payment?.isReplaceable,
    block,
    isOrphaned,
    missingHeight: isMissing ? (deposit.missingHeight ?? scannedHeight) : undefined,
    isGone: isMissing && scannedHeight >= head.height && isGone(deposit.chain, deposit.missingHeight, watch),
    isReturned: deposit.state === 'REVERSED' && isInFinalBlock,
    ...arrivalIfStuck(deposit, block, facts.now),
  };
}

interface DepositFacts {
  /** It is in a block of the current chain. */
  isIncluded: boolean;
  /** It is final by the rule for its amount; false unless included. */
  isFinal: boolean;
  /** It is in the memory pool; undefined if the pool was not read, or only an outdated one. */
  isPooled: boolean | undefined;
  /** It was in a block that has left the chain. */
  isOrphaned: boolean;
}

function nextState(current: DepositState, facts: DepositFacts): DepositState {
  if (current === 'CREDITED' || current === 'REVERSED') return current;
  if (facts.isIncluded) return facts.isFinal ? 'FINAL' : 'INCLUDED';
  if (facts.isPooled === true) return 'SEEN';
  // Another transaction spends the same coins, or the network has dropped this one. It may still return.
  if (facts.isPooled === false) return 'REPLACED';
  if (facts.isOrphaned) return 'ORPHANED';
  return current;
}

function readPool(
  { transactionId }: Deposit,
  payment: ObservedPayment | undefined,
  { pooledTransactionIds, scannedHeight, head }: ChainFacts,
): boolean | undefined {
  if (payment || pooledTransactionIds?.has(transactionId)) return true;
  // A payment that is missing in the pool may be in a block that has not been read yet.
  return pooledTransactionIds && scannedHeight >= head.height ? false : undefined;
}

/** Otherwise a transaction that is stuck or replaced on purpose would be a free option on the rate. */
function arrivalIfStuck(
  { arrivedAt, arrivalRateE12, invoice, state }: Deposit,
  block: Deposit['block'],
  now: Date,
): Pick<Observation, 'arrivedAt' | 'arrivalRateE12'> {
  const wasInTime = invoice !== undefined && arrivedAt < invoice.expiredAt;
  if (!wasInTime || !block || state === 'CREDITED' || state === 'REVERSED') return { arrivedAt, arrivalRateE12 };
  // The clock of a block may be ahead.
  const minedAt = new Date(Math.min(block.time.getTime(), now.getTime()));
  const isStuck = minedAt.getTime() > invoice.expiredAt.getTime() + STUCK_AFTER_MS;
  return isStuck ? { arrivedAt: minedAt, arrivalRateE12: undefined } : { arrivedAt, arrivalRateE12 };
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

/** Whether there is anything to save. */
export function hasChanged(deposit: Deposit, next: Observation): boolean {
  return (
    deposit.state !== next.state ||
    deposit.block?.hash !== next.block?.hash ||
    deposit.isOrphaned !== next.isOrphaned ||
    deposit.missingHeight !== next.missingHeight ||
    deposit.isGone !== next.isGone ||
    deposit.isReturned !== next.isReturned ||
    deposit.arrivedAt.getTime() !== next.arrivedAt.getTime()
  );
}
