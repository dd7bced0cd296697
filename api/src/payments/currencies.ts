import { currencies, type Currency } from '@cellhop/contract/invoices';

export const chains = ['bitcoin', 'litecoin', 'ethereum', 'bsc', 'tron', 'ton'] as const;
export type Chain = (typeof chains)[number];

/** A set of addresses: whoever owns one owns it on each chain of the set. */
export type AddressSpace = 'btc' | 'ltc' | 'evm' | 'tron' | 'ton';

export interface CurrencyRules {
  chain: Chain;
  addressSpace: AddressSpace;
  /** What moves on the chain: its own coin or a token. */
  asset: 'BTC' | 'ETH' | 'LTC' | 'TRX' | 'TON' | 'USDT';
  /** Of the smallest unit. They belong to this row, never to "USDT": it has 6 on most chains and 18 on BSC. */
  decimals: number;
  /** People type amounts, so an invoice asks for no more decimals than these. */
  displayDecimals: number;
  isStable: boolean;
  /** How long an invoice keeps its rate. */
  lifetimeMs: number;
  /** The share of the due amount that is called PAID, in hundredths of a percent: exchanges round and take fees. */
  paidFromBasisPoints: bigint;
  /** True where a new address for each invoice costs the payer nothing and keeps his payments apart. */
  hasAddressPerInvoice: boolean;
}

const MINUTE_MS = 60_000;
const volatile = { isStable: false, lifetimeMs: 15 * MINUTE_MS, paidFromBasisPoints: 9900n };
const stable = { isStable: true, lifetimeMs: 60 * MINUTE_MS, paidFromBasisPoints: 9950n, displayDecimals: 2 };
const perInvoice = { hasAddressPerInvoice: true };
const perUser = { hasAddressPerInvoice: false };

/** Ethereum and BSC derive addresses in the same way: an address is the same customer's on both. */
export const addressSpaces = {
  bitcoin: 'btc',
  litecoin: 'ltc',
  ethereum: 'evm',
  bsc: 'evm',
  tron: 'tron',
  ton: 'ton',
} as const satisfies Record<Chain, AddressSpace>;

const bitcoin = { chain: 'bitcoin', addressSpace: addressSpaces.bitcoin, ...perInvoice } as const;
const litecoin = { chain: 'litecoin', addressSpace: addressSpaces.litecoin, ...perInvoice } as const;
const ethereum = { chain: 'ethereum', addressSpace: addressSpaces.ethereum, ...perUser } as const;
const bsc = { chain: 'bsc', addressSpace: addressSpaces.bsc, ...perUser } as const;
const tron = { chain: 'tron', addressSpace: addressSpaces.tron, ...perUser } as const;
const ton = { chain: 'ton', addressSpace: addressSpaces.ton, ...perUser } as const;

export const currencyRules: Record<Currency, CurrencyRules> = {
  BTC: { ...bitcoin, ...volatile, asset: 'BTC', decimals: 8, displayDecimals: 8 },
  ETH: { ...ethereum, ...volatile, asset: 'ETH', decimals: 18, displayDecimals: 6 },
  LTC: { ...litecoin, ...volatile, asset: 'LTC', decimals: 8, displayDecimals: 8 },
  TRX: { ...tron, ...volatile, asset: 'TRX', decimals: 6, displayDecimals: 2 },
  TON: { ...ton, ...volatile, asset: 'TON', decimals: 9, displayDecimals: 3 },
  USDT_TRC20: { ...tron, ...stable, asset: 'USDT', decimals: 6 },
  USDT_ERC20: { ...ethereum, ...stable, asset: 'USDT', decimals: 6 },
  USDT_BSC: { ...bsc, ...stable, asset: 'USDT', decimals: 18 },
  USDT_TON: { ...ton, ...stable, asset: 'USDT', decimals: 6 },
};

/** @returns undefined for an asset that is not sold for on this chain */
export function findCurrency(chain: string, asset: string): Currency | undefined {
  return currencies.find(
    (currency) => currencyRules[currency].chain === chain && currencyRules[currency].asset === asset,
  );
}
