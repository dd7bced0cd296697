/** One transaction that moves what an address of the shop holds to the operator. */

import type { ChainWith } from '../chains/descriptors.ts';

/** Addresses of Bitcoin and Litecoin are swept by the wallet itself. */
export type SweepChain = ChainWith<'sweep'>;

/** What a signed transaction does, read from its bytes alone. */
export interface Sweep {
  chain: SweepChain;
  from: string;
  to: string;
  /** Of a token; undefined for the native coin. On TON, of another token than the known one: the wallet of the token. */
  contract: string | undefined;
  /** Base units of what is moved. */
  units: bigint;
  /**
   * Of the native coin: what the transaction allows for its fee. On TRON without the bandwidth and on TON without the fee of the wallet's
   * own transaction, which have no limit in it.
   */
  feeLimitUnits: bigint;
  /** The place among the transactions of the address; on TRON undefined. */
  nonce: bigint | undefined;
  /** On TRON and TON; undefined for a transaction that stays valid. */
  expiresAt: Date | undefined;
}

export interface SignedSweep extends Sweep {
  /** As explorers show it; on TON the hash of the message, as it has no transaction before the wallet takes it. */
  transactionId: string;
}

/** The bytes are not a transaction that this program signs. */
export class InvalidTransaction extends Error {
  override readonly name = 'InvalidTransaction';
}
