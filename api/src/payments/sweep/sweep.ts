/** One transaction that moves what an address of the shop holds to the operator. */

/** Addresses of Bitcoin and Litecoin are swept by the wallet itself. */
export type SweepChain = 'ethereum' | 'bsc' | 'tron';

/** What a signed transaction does, read from its bytes alone. */
export interface Sweep {
  chain: SweepChain;
  from: string;
  to: string;
  /** Of a token; undefined for the native coin. */
  contract: string | undefined;
  /** Base units of what is moved. */
  units: bigint;
  /** Of the native coin: what the transaction allows for its fee. On TRON without the bandwidth, which has no limit in the transaction. */
  feeLimitUnits: bigint;
  /** On Ethereum and BSC the place among the transactions of the address; on TRON undefined. */
  nonce: bigint | undefined;
  /** On TRON; undefined for a transaction that stays valid. */
  expiresAt: Date | undefined;
}

export interface SignedSweep extends Sweep {
  /** As explorers show it. */
  transactionId: string;
}

/** The bytes are not a transaction that this program signs. */
export class InvalidTransaction extends Error {
  override readonly name = 'InvalidTransaction';
}
