import type { AddressSpace } from '../currencies.ts';

/** How sure a payment is: seen by the network, in a block, or past the depth at which it can be undone. */
export type PaymentStage = 'SEEN' | 'INCLUDED' | 'FINAL';

/** One payment as a chain shows it. Chain, asset, transaction and output together identify it. */
export interface ObservedPayment {
  asset: string;
  transactionId: string;
  /** Output, log or message index: one transaction may pay several times. */
  output: number;
  address: string;
  units: bigint;
  stage: PaymentStage;
  /** When it was first seen: this decides which rate it gets. */
  arrivedAt: Date;
}

export interface Poll {
  /** Give it to the next poll. Everything before it has been reported as final. */
  cursor: string | null;
  payments: ObservedPayment[];
}

/** Reads one chain. It has no memory of its own: after a restart it goes on from the cursor that was saved last. */
export interface ChainWatcher {
  /**
   * @param cursor null at the very beginning
   * @returns payments after the cursor, each with its present stage; one may be reported any number of times, and to
   *   addresses that are not ours
   */
  poll(cursor: string | null): Promise<Poll>;
}

/** Gives out addresses. The same space and index always give the same address, other ones another. */
export type AddressDeriver = (space: AddressSpace, index: bigint) => string;
