import type { AddressSpace } from '../currencies.ts';

/** Confirmation of a payment: seen by the network, included in a block, or final. */
export type PaymentStage = 'SEEN' | 'INCLUDED' | 'FINAL';

/** A payment observed on a chain, identified by chain, asset, transaction and output. */
export interface ObservedPayment {
  asset: string;
  transactionId: string;
  /** Output, log or message index: one transaction may pay several times. */
  output: number;
  address: string;
  units: bigint;
  stage: PaymentStage;
  /** When it was first seen; decides on the rate. */
  arrivedAt: Date;
}

export interface Poll {
  /** Pass it to the next poll. Everything before it was reported as final. */
  cursor: string | null;
  payments: ObservedPayment[];
}

/** Reads one chain. Stateless: after a restart it continues from the saved cursor. */
export interface ChainWatcher {
  /**
   * @param cursor null for the first poll
   * @returns payments after the cursor with their current stage; may repeat payments, and include foreign addresses
   */
  poll(cursor: string | null): Promise<Poll>;
}

/** Derives addresses: deterministic, and unique for each space and index. */
export type AddressDeriver = (space: AddressSpace, index: bigint) => string;
