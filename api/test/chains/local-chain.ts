import type { ChainWatcher, ObservedPayment, Poll } from '../../src/payments/chains/watcher.ts';

export interface Payout {
  address: string;
  units: bigint;
}

/** One asset of a chain on this machine. A test controls every block. */
export interface LocalChain {
  name: string;
  asset: string;
  /** True if payments are reported before they are in a block. */
  hasMemoryPool: boolean;
  /** False if the chain shows neither the transaction nor the parts of what a contract has sent. */
  showsTransactionOfBatch: boolean;
  /** A usual payment. */
  units: bigint;
  /** The smallest payment that the network relays. */
  dustUnits: bigint;
  /** After these, earlier payments are reported as included; by default 3. */
  blocksUntilIncluded?: number;
  /** After these, all earlier payments are final. */
  blocksUntilFinal: number;
  isFinal: (payment: ObservedPayment, poll: Poll) => boolean;
  /** Nothing is reported before it is final. */
  isFinalAtOnce?: true;
  url: string;
  createWatcher(urls?: readonly string[]): ChainWatcher;
  newAddress(): Promise<string>;
  /** One transaction, not yet in a block. @returns its id */
  pay(...payouts: Payout[]): Promise<string>;
  mine(blocks: number): Promise<void>;
  /** Replaces the newest blocks with one more that do not contain the transaction. */
  reorganise(depth: number, transactionId: string): Promise<void>;
  /** After `reorganise`: includes the same transaction again. */
  includeAgain(transactionId: string): Promise<void>;
  /** Send transactions to the address that look like payments and are not; not yet in a block. */
  fakePayments: Record<string, (address: string) => Promise<unknown>>;
  /** A transaction that is still in the memory pool pays another address instead, or the same one with a higher fee. */
  replace?: (transactionId: string, payout: Payout) => Promise<string>;
  /** This node does not support `readBalances` of the watcher. */
  cannotReadBalances?: true;
  end(): Promise<void>;
}
