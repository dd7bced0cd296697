/** Derives the new state of one deposit from a poll. */
import type { ObservedPayment, Poll } from '../../payments/chains/watcher.ts';
import type { Chain } from '../../payments/currencies.ts';
import { isFinal, type FinalityRule } from '../../payments/finality.ts';
import { isGone, nextState } from './deposit-state.ts';
import type { Observation, ObservedDeposit } from './observed-deposits.store.ts';

/** A transaction that was seen in time but mined this long after the end of its invoice has arrived when it was mined. */
const STUCK_AFTER_MS = 2 * 3_600_000;

/** The parts of a poll that concern every deposit of its chain. */
export interface ChainFacts {
  chain: Chain;
  head: Poll['head'];
  scannedHeight: number;
  orphanedBlockHashes: ReadonlySet<string>;
  pooledTransactionIds: ReadonlySet<string> | undefined;
  rule: FinalityRule;
  now: Date;
}

/**
 * @param payment of this deposit in the poll, if any
 * @param valueMicros undefined if unknown
 */
export function observe(
  deposit: ObservedDeposit,
  payment: ObservedPayment | undefined,
  facts: ChainFacts,
  valueMicros: bigint | undefined,
): Observation {
  const { orphanedBlockHashes, scannedHeight, head, rule } = facts;
  const hasLeft = deposit.block !== undefined && orphanedBlockHashes.has(deposit.block.hash);
  // A report of the memory pool may be older than the block.
  const block = payment?.block ?? (hasLeft ? undefined : deposit.block);
  const isPooled = block ? undefined : readPool(deposit, payment, facts);
  const isOrphaned = block === undefined && (hasLeft || deposit.isOrphaned);
  const question = { valueMicros, confirmationsMin: deposit.confirmationsMin };
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
    isGone: isMissing && scannedHeight >= head.height && isGone(facts.chain, deposit.missingHeight, watch),
    isReturned: deposit.state === 'REVERSED' && isInFinalBlock,
    ...arrivalIfStuck(deposit, block, facts.now),
  };
}

function readPool(
  { transactionId }: ObservedDeposit,
  payment: ObservedPayment | undefined,
  { pooledTransactionIds, scannedHeight, head }: ChainFacts,
): boolean | undefined {
  if (payment || pooledTransactionIds?.has(transactionId)) return true;
  // A payment that is missing in the pool may be in a block that has not been read yet.
  return pooledTransactionIds && scannedHeight >= head.height ? false : undefined;
}

/** Otherwise a transaction that is stuck or replaced on purpose would be a free option on the rate. */
function arrivalIfStuck(
  { arrivedAt, arrivalRateE12, invoice, state }: ObservedDeposit,
  block: ObservedDeposit['block'],
  now: Date,
): Pick<Observation, 'arrivedAt' | 'arrivalRateE12'> {
  const wasInTime = invoice !== undefined && arrivedAt < invoice.expiredAt;
  if (!wasInTime || !block || state === 'CREDITED' || state === 'REVERSED') return { arrivedAt, arrivalRateE12 };
  // The clock of a block may be ahead.
  const minedAt = new Date(Math.min(block.time.getTime(), now.getTime()));
  const isStuck = minedAt.getTime() > invoice.expiredAt.getTime() + STUCK_AFTER_MS;
  return isStuck ? { arrivedAt: minedAt, arrivalRateE12: undefined } : { arrivedAt, arrivalRateE12 };
}

/** Whether there is anything to save. */
export function hasChanged(deposit: ObservedDeposit, next: Observation): boolean {
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
