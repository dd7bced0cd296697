import { addressSpaces, type AddressSpace, type Chain, currencyFacts } from '@cellhop/contract/chains';
import { currencyTicker, type Ticker } from '@cellhop/contract/coins';
import { currencies, type Currency } from '@cellhop/contract/invoices.values';
import type { CurrencyOfChain } from './chains/chain.ts';
import { descriptors, has } from './chains/descriptors.ts';

export { addressSpaces, type AddressSpace, type Chain, chains } from '@cellhop/contract/chains';

export interface CurrencyRules extends CurrencyOfChain {
  chain: Chain;
  addressSpace: AddressSpace;
  /** The chain's native coin or a token. */
  asset: Ticker;
  /** True if a new address per invoice costs the payer nothing. It keeps payments apart. */
  hasAddressPerInvoice: boolean;
}

export const currencyRules = Object.fromEntries(
  currencies.map((currency): [Currency, CurrencyRules] => {
    const { chain } = currencyFacts[currency];
    const place = { chain, addressSpace: addressSpaces[chain], hasAddressPerInvoice: has(chain, 'utxo') };
    return [currency, { ...place, ...descriptors[chain].currencies[currency]!, asset: currencyTicker(currency) }];
  }),
) as Record<Currency, CurrencyRules>;

/** @returns undefined if the asset is not accepted on this chain */
export function findCurrency(chain: string, asset: string): Currency | undefined {
  return currencies.find(
    (currency) => currencyRules[currency].chain === chain && currencyRules[currency].asset === asset,
  );
}
