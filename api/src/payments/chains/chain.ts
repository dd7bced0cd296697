/** What a chain is to this service: its descriptor, which the tables by chain and by currency read. It does no I/O. */
import type { Currency } from '@cellhop/contract/chains';
import type { AddressCodec } from '../derive/address-codec.ts';
import type { FinalityRule } from '../finality.ts';
import type { RateSourceName } from '../rates/ids.ts';

export interface ChainDescriptor {
  currencies: Partial<Record<Currency, CurrencyOfChain>>;
  addresses: AddressCodec;
  finality: FinalityRule;
  pace: ChainPace;
  /** Of a public explorer: what the hash of a transaction is appended to. */
  transactionPage: string;
  /** Names of settings. */
  settings: {
    /** Its addresses, of the account and of index 0, begin with this. */
    account: string;
    key: string;
    /** What to do without the address of index 0, and if it is another one. */
    addressAdvice?: string;
    mismatchAdvice?: string;
    urls: string;
    /** The operator's own addresses, from which fees may be sent without being payments. */
    funding?: string;
  };
  /** Where a single source is not enough: what the settings say about it. */
  sourcesMinReason?: string;
  /** A source may hide the transaction of a payment, which is then one that `isUnexplained`. */
  hasUnexplainedPayments?: true;
  /** So many blocks do not leave it by chance: nothing is credited until the operator has looked. */
  pausingReorganisationBlocks?: number;
  utxo?: UtxoRules;
  evm?: EvmRules;
  token?: TokenRules;
  sweep?: SweepRules;
}

interface ChainPace {
  /** Usually between two blocks. */
  blockMs: number;
  pollEveryMs: number;
  /** An older newest block means that the chain or the node does not work, except very rarely. */
  headAgeMaxMs: number;
  /** Blocks that are read become final within this time, where nodes name final blocks. Ethereum takes 20 minutes, TRON one. */
  finalWithinMs?: number;
}

/** Of a coin or token on one chain. */
export interface CurrencyOfChain {
  /** Of the smallest unit. They depend on the chain: USDT has 6 on most chains and 18 on BSC. */
  decimals: number;
  /** Maximum decimals of the due amount of an invoice, because people type it. */
  displayDecimals: number;
  isStable: boolean;
  /** How long an invoice keeps its rate. */
  lifetimeMs: number;
  /** The share of the due amount from which an invoice is PAID, because exchanges round and take fees. */
  paidFromBasisPoints: bigint;
  /** The smallest payment that nodes of the network relay: a smaller rest cannot be sent. */
  smallestPaymentUnits: bigint;
  /**
   * What a sweep may leave: the rest of the gas, or a token's unit that keeps its slot in use. After a sweep, only more than that shows a
   * payment.
   */
  restAfterSweepUnits: bigint;
  /** In the sandbox, chosen so that whole dollars are short amounts. Documented in docs/payments.md. */
  sandboxCents: bigint;
  /** Of a coin: its names at sources of exchange rates. */
  rateIds?: SourceIds;
}

export type SourceIds = Partial<Record<RateSourceName, string | undefined>>;

/** Bitcoin and its relatives: a new address per invoice costs the payer nothing. */
export interface UtxoRules {
  /** The hash of block 0 proves which chain a node serves. */
  genesisHash: string;
  addressPrefix: string;
  /** Of payment links (BIP 21). */
  uriScheme: string;
}

/** Chains with Ethereum's JSON-RPC. */
export interface EvmRules {
  /** Of EIP-155. */
  chainId: number;
  /** Whether payments in the native coin are watched. */
  hasNativeCoin: boolean;
  blocksPerPoll: number;
  /** Final blocks are at least so old. */
  finalityDepth: number;
  /** Of a source: an older newest block means that it does not follow the chain. */
  headAgeMaxMs: number;
}

/** Of USDT. */
interface TokenRules {
  currency: Currency;
  /** With the address of the contract. */
  setting: string;
  /** Tether's, and on BSC that of Binance. */
  usualContract: string;
}

/** What the offline program knows of the main network. */
export interface SweepRules {
  coin: 'ETH' | 'BNB' | 'TRX' | 'TON';
  coinDecimals: number;
  /** What a sweep leaves, so that the slot of the address in the contract stays in use: the next payment to it costs the payer half. */
  usdtUnitsLeft: bigint;
  /** USDT units that one coin is taken to be worth, roughly, as no list may say it: for `FEE_SHARE_MAX` of USDT. */
  coinWorth: bigint;
  /** More cannot be held, so a list that says so is wrong. */
  unitsMax: bigint;
  /** Of one transaction, in base units of the coin. A list that asks for more is refused. */
  feeMaxUnits: bigint;
}

export const MINUTE_MS = 60_000;
/** Nothing is too small for chains with accounts. */
const smallestPaymentUnits = 1n;
export const volatile = {
  isStable: false,
  lifetimeMs: 15 * MINUTE_MS,
  paidFromBasisPoints: 9900n,
  smallestPaymentUnits,
} as const;

/** @param decimals of its unit */
export const stable = (decimals: number) =>
  ({
    isStable: true,
    lifetimeMs: 60 * MINUTE_MS,
    paidFromBasisPoints: 9950n,
    decimals,
    displayDecimals: 2,
    smallestPaymentUnits,
    restAfterSweepUnits: 10n ** BigInt(decimals),
    sandboxCents: 100n,
  }) satisfies CurrencyOfChain;

/** @param ids those that do not follow from its ticker */
export const rateIdsOf = (ticker: string, ids: SourceIds): SourceIds => ({
  kraken: `${ticker}USD`,
  binance: `${ticker}USDT`,
  okx: `${ticker}-USDT`,
  bybit: `${ticker}USDT`,
  coinbase: `${ticker}-USD`,
  ...ids,
});

export const evmSweeps = {
  coinDecimals: 18,
  usdtUnitsLeft: 0n,
  /** More than all coins and tokens that exist, and small enough for every field of a transaction. */
  unitsMax: 2n ** 128n - 1n,
} as const;
