import { addressSpaces, type AddressSpace, type Chain } from '@cellhop/contract/chains';
import { currencies, type Currency } from '@cellhop/contract/invoices.values';

export { addressSpaces, type AddressSpace, type Chain, chains } from '@cellhop/contract/chains';

/** The chains whose USDT is identified by a contract in the settings. */
export type TokenChain = Extract<Chain, 'ethereum' | 'bsc' | 'tron'>;

export interface CurrencyRules {
  chain: Chain;
  addressSpace: AddressSpace;
  /** The chain's native coin or a token. */
  asset: 'BTC' | 'ETH' | 'LTC' | 'TRX' | 'TON' | 'USDT';
  /** The decimals of the smallest unit. They depend on the chain: USDT has 6 on most chains and 18 on BSC. */
  decimals: number;
  /** Maximum decimals of the due amount of an invoice, because people type it. */
  displayDecimals: number;
  isStable: boolean;
  /** How long an invoice keeps its rate. */
  lifetimeMs: number;
  /** The share of the due amount from which an invoice is PAID, because exchanges round and take fees. */
  paidFromBasisPoints: bigint;
  /** The smallest payment that nodes of the network relay: nobody can send a smaller rest. */
  smallestPaymentUnits: bigint;
  /** True if a new address per invoice costs the payer nothing. It keeps payments apart. */
  hasAddressPerInvoice: boolean;
}

const MINUTE_MS = 60_000;
/** Nothing is too small for chains with accounts. */
const smallestPaymentUnits = 1n;
const volatile = { isStable: false, lifetimeMs: 15 * MINUTE_MS, paidFromBasisPoints: 9900n, smallestPaymentUnits };
const stable = {
  isStable: true,
  lifetimeMs: 60 * MINUTE_MS,
  paidFromBasisPoints: 9950n,
  displayDecimals: 2,
  smallestPaymentUnits,
};
const perInvoice = { hasAddressPerInvoice: true };
const perUser = { hasAddressPerInvoice: false };

const bitcoin = { chain: 'bitcoin', addressSpace: addressSpaces.bitcoin, ...perInvoice } as const;
const litecoin = { chain: 'litecoin', addressSpace: addressSpaces.litecoin, ...perInvoice } as const;
const ethereum = { chain: 'ethereum', addressSpace: addressSpaces.ethereum, ...perUser } as const;
const bsc = { chain: 'bsc', addressSpace: addressSpaces.bsc, ...perUser } as const;
const tron = { chain: 'tron', addressSpace: addressSpaces.tron, ...perUser } as const;
const ton = { chain: 'ton', addressSpace: addressSpaces.ton, ...perUser } as const;

/** The dust limits of Bitcoin Core and Litecoin Core for any kind of address (`GetDustThreshold` of P2PKH). */
export const currencyRules: Record<Currency, CurrencyRules> = {
  BTC: { ...bitcoin, ...volatile, asset: 'BTC', decimals: 8, displayDecimals: 8, smallestPaymentUnits: 546n },
  ETH: { ...ethereum, ...volatile, asset: 'ETH', decimals: 18, displayDecimals: 6 },
  LTC: { ...litecoin, ...volatile, asset: 'LTC', decimals: 8, displayDecimals: 8, smallestPaymentUnits: 5460n },
  TRX: { ...tron, ...volatile, asset: 'TRX', decimals: 6, displayDecimals: 2 },
  TON: { ...ton, ...volatile, asset: 'TON', decimals: 9, displayDecimals: 3 },
  USDT_TRC20: { ...tron, ...stable, asset: 'USDT', decimals: 6 },
  USDT_ERC20: { ...ethereum, ...stable, asset: 'USDT', decimals: 6 },
  USDT_BSC: { ...bsc, ...stable, asset: 'USDT', decimals: 18 },
  USDT_TON: { ...ton, ...stable, asset: 'USDT', decimals: 6 },
};

/** @returns undefined if the asset is not accepted on this chain */
export function findCurrency(chain: string, asset: string): Currency | undefined {
  return currencies.find(
    (currency) => currencyRules[currency].chain === chain && currencyRules[currency].asset === asset,
  );
}
