import type { AddressSpace } from '../currencies.ts';
import type { ChainHoldings, AddressBalances } from '../holdings-file.ts';

/** One payment to one of the watched addresses, identified by chain, asset, transaction and output. */
export interface ObservedPayment {
  /** As in `currencyRules`: BTC, ETH, LTC, TRX, TON or USDT. Tokens of unknown contracts are never reported. */
  asset: string;
  transactionId: string;
  /** Output index, log index or message index: one transaction may pay several times. */
  output: number;
  address: string;
  /** Who sent it, in the form in which addresses are stored; undefined where the chain does not say, as Bitcoin does not beside an output. */
  sender?: string | undefined;
  /** Smallest units of the asset on this chain; more than 0. */
  units: bigint;
  /** Undefined while the payment is only in the memory pool. */
  block: { height: number; hash: string; time: Date } | undefined;
  /** The time of its block, or now if it is in the memory pool; never in the future. */
  arrivedAt: Date;
  /** For outputs that need more confirmations than their amount, such as coinbase (100) or MWEB peg-outs (24). */
  confirmationsMin?: number;
  /** In the memory pool: it signals that its sender may replace it (BIP 125). Nodes may also accept replacements of other payments. */
  isReplaceable?: boolean;
}

/** Begins the id of a payment that no transaction shows: the balance of an address has risen in a block, and nothing explains it. */
export const UNEXPLAINED = 'balance:';

export const isUnexplained = ({ transactionId }: Pick<ObservedPayment, 'transactionId'>) =>
  transactionId.startsWith(UNEXPLAINED);

/** The head of a chain and its final blocks. With several sources, heights are those of the one that lags most. */
export interface ChainHead {
  height: number;
  hash: string;
  time: Date;
  /** Heights up to which blocks are `safe` and `finalized`; undefined on chains that count confirmations. */
  safeHeight: number | undefined;
  finalizedHeight: number | undefined;
}

export interface Poll {
  /** Opaque and bounded (some 300 recent block hashes at most). It is stored in the transaction that stores the facts below. */
  cursor: string;
  /** Payments in the blocks of this poll, and those in the memory pool. May repeat payments that were reported before. */
  payments: readonly ObservedPayment[];
  /** Blocks that have left the chain: their deposits are orphaned unless a block of this poll contains them again. */
  orphanedBlockHashes: readonly string[];
  /** Ids of all transactions in the memory pool that pay watched addresses; undefined if the chain's memory pool is not watched.
   *  A deposit that was only SEEN, is in no block and is missing here has been replaced or dropped. */
  pooledTransactionIds: readonly string[] | undefined;
  head: ChainHead;
  /** The last height that was scanned. Less than `head.height` while the watcher catches up: poll again at once. */
  scannedHeight: number;
  /** The largest difference between the time of a block and the time at which it appeared. */
  clockErrorMs: number;
  /** Since the start: blocks that cannot be proven, which two sources agree about. Absent if this poll has read none. */
  unprovenBlocks?: number;
  /** For the operator: what was strange, although it stops nothing. */
  warnings?: readonly string[];
  /** Assets for which no new invoices must be created, although the chain works; a warning says why. */
  refusedAssets?: readonly string[];
}

/** Reads one chain through the operator's nodes. Holds no state that a restart would lose. */
export interface ChainWatcher {
  /**
   * Reads a bounded number of blocks after the cursor.
   * @param cursor null for the first poll, which begins at the current head
   * @param addresses in their watch window; at most some 20,000
   * @param open those of `addresses` that have an open invoice. A watcher that must ask for each address asks for these at each poll,
   * and for the others less often; by default all are
   * @throws ChainUnavailable when the nodes fail, lag, disagree or throttle: nothing is stored and the poll is repeated later
   */
  poll(
    cursor: string | null,
    addresses: ReadonlySet<string>,
    signal: AbortSignal,
    open?: ReadonlySet<string>,
  ): Promise<Poll>;
  /**
   * Confirms a fact by a second, independent source, before large credits.
   * @returns undefined if only one source is configured; false if it is denied
   */
  confirm(payment: Omit<ObservedPayment, 'sender'>, signal: AbortSignal): Promise<boolean | undefined>;
  /**
   * The decimals that the contract of the chain's token reports; undefined if there is none. Absent on chains without tokens.
   * @throws ChainUnavailable
   */
  tokenDecimals?(signal: AbortSignal): Promise<number | undefined>;
  /** How many addresses to ask for at once, and how long that may take. */
  readonly balanceLimits: BalanceLimits;
  /**
   * What the addresses hold now: for the daily comparison of all addresses with their deposits, and for sweeps.
   * @throws ChainUnavailable
   */
  balances(asset: string, addresses: readonly string[], signal: AbortSignal): Promise<Balances>;
  /**
   * The time up to which payments to all addresses were read, where addresses without an open invoice are read less often than the others.
   * Absent where a poll reads all of them up to its scanned height.
   */
  readUntil?(cursor: string): Date;
  /** Of the addresses of a poll, so many at most are read up to its scanned height, where the others are read later. Absent: all of them. */
  readonly readTogetherMax?: number;
  /**
   * The cursor from which the next poll reads the block after this height, for a rescan.
   * @param height final, and not before the first block that the sources have
   * @throws ChainUnavailable
   */
  cursorAt(height: number, signal: AbortSignal): Promise<string>;
  /**
   * Asks each source by itself for everything that will be needed, with the same requests as later, and for what concerns the operator, such as
   * a token whose issuer has paused it. Stores nothing. Failures are findings.
   */
  check(signal: AbortSignal): Promise<readonly SourceFinding[]>;
  /**
   * What a signature of a sweep needs, for addresses that hold something.
   * @throws ChainUnavailable
   */
  describeHoldings(held: readonly AddressBalances[], signal: AbortSignal): Promise<ChainHoldings>;
}

export interface SourceFinding {
  /** Its name in messages: host and port. */
  source: string;
  /** What is needed, in a few words, such as `eth_getLogs`. */
  need: string;
  isOk: boolean;
  /** False: payments are found without it, but see the sentence. */
  isRequired: boolean;
  /** What was found, or what to do. */
  sentence: string;
}

interface BalanceLimits {
  addressesMax: number;
  timeMs: number;
}

export interface Balances {
  /** A final block, up to which deposits are compared with the balances. */
  height: number;
  /** Of this block; only where `readUntil` is needed. */
  time?: Date;
  /** Of every address that was asked for. */
  units: ReadonlyMap<string, bigint>;
  /** On chains with unspent outputs, those up to `height`: with them, a payment that was missed is found even after sweeps. */
  outputs?: readonly UnspentOutput[];
}

export interface UnspentOutput extends Pick<ObservedPayment, 'transactionId' | 'output' | 'address' | 'units'> {
  height: number;
}

/** The nodes cannot be used now. The message says which one and why, without its credentials. */
export class ChainUnavailable extends Error {
  override readonly name = 'ChainUnavailable';
  constructor(
    readonly reason:
      | 'DOWN'
      | 'THROTTLED'
      | 'LAGGING'
      | 'DISAGREEING'
      | 'PRUNED'
      | 'INVALID_RESPONSE'
      | 'DEEP_REORGANISATION',
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** Derives addresses from a public account key: deterministic, and unique for each space and index. */
export type AddressDeriver = (space: AddressSpace, index: bigint) => string;
