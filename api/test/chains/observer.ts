/** Applies polls as the invoices module does, so that the suite can check the resulting state of deposits. */
import { findRepeated, type IncludedPayment } from '../../src/modules/invoices/moved-deposits.ts';
import type { ChainWatcher, ObservedPayment, Poll } from '../../src/payments/chains/watcher.ts';

const POLLS_MAX = 500;
const neverAborted = new AbortController().signal;

export type Observer = ReturnType<typeof createObserver>;

/** @param isFinal of the chain's rules for a small amount */
export function createObserver(
  watcher: ChainWatcher,
  addresses: ReadonlySet<string>,
  isFinal: (payment: ObservedPayment, poll: Poll) => boolean,
) {
  let cursor: string | null = null;
  let current = watcher;
  let lastPoll: Poll | undefined;
  const deposits = new Map<string, ObservedPayment>();
  const finalDeposits = new Map<string, ObservedPayment>();

  const listKnown = () => [...deposits.values()].map((one) => ({ ...one, isOrphaned: false }));

  function apply(poll: Poll): void {
    for (const hash of poll.orphanedBlockHashes) {
      for (const [key, { block }] of deposits) if (block?.hash === hash) deposits.delete(key);
    }
    const refused = new Set(findRepeated(poll.payments.filter(isIncludedEther), listKnown()));
    for (const payment of poll.payments) {
      if (isIncludedEther(payment) && refused.has(payment)) continue;
      const { asset, transactionId, output } = payment;
      const key = [asset, transactionId, output].join(' ');
      // The memory pool is read after the blocks: what both contain is included.
      if (payment.block ?? !deposits.get(key)?.block) deposits.set(key, payment);
    }
    if (poll.pooledTransactionIds) {
      const pooled = new Set(poll.pooledTransactionIds);
      for (const [key, { block, transactionId }] of deposits) {
        if (!block && !pooled.has(transactionId)) deposits.delete(key);
      }
    }
    for (const [key, payment] of deposits) if (payment.block && isFinal(payment, poll)) finalDeposits.set(key, payment);
  }

  return {
    async poll(): Promise<Poll> {
      const poll = await current.poll(cursor, addresses, neverAborted);
      apply(poll);
      cursor = poll.cursor;
      lastPoll = poll;
      return poll;
    },
    /** Polls until the watcher has read all blocks. @returns the number of polls */
    async catchUp(): Promise<number> {
      for (let polls = 1; polls <= POLLS_MAX; polls += 1) {
        const before: string | null = cursor;
        const poll = await this.poll();
        if (poll.scannedHeight === poll.head.height && (polls > 1 || cursor === before)) return polls;
      }
      throw new Error(`The watcher has not reached the head after ${POLLS_MAX} polls`);
    },
    /** Simulates a restart of the worker. */
    restart: (fresh: ChainWatcher) => void (current = fresh),
    lastPoll: () => lastPoll!,
    paymentsTo: (address: string) => [...deposits.values()].filter((payment) => payment.address === address),
    /** The sum of payments in blocks. */
    includedUnits: (address: string) => sumOf(deposits, ({ block, address: to }) => to === address && Boolean(block)),
    finalUnits: (address: string) => sumOf(finalDeposits, ({ address: to }) => to === address),
    allFinal: () => [...finalDeposits.values()],
    finalTo: (address: string) => [...finalDeposits.values()].filter((payment) => payment.address === address),
  };
}

const isIncludedEther = (payment: ObservedPayment): payment is IncludedPayment =>
  payment.asset === 'ETH' && payment.block !== undefined;

function sumOf(deposits: ReadonlyMap<string, ObservedPayment>, isCounted: (payment: ObservedPayment) => boolean) {
  return [...deposits.values()].filter(isCounted).reduce((sum, { units }) => sum + units, 0n);
}
