import type { Currency } from '@cellhop/contract/invoices.values';
import type { Invoice } from '@cellhop/contract/invoices';
import { formatDecimal } from '../../format/format.ts';

/** The coin's ticker, which is the same on every network. */
export function currencyTicker(currency: Currency): string {
  return currency.split('_', 1)[0]!;
}

/** The coin that pays the fees of the network. */
export function feeCoin(currency: Currency): string {
  const coins: Partial<Record<Currency, string>> = {
    USDT_ERC20: 'ETH',
    USDT_BSC: 'BNB',
    USDT_TRC20: 'TRX',
    USDT_TON: 'TON',
  };
  return coins[currency] ?? currencyTicker(currency);
}

/** An amount with its ticker, in the notation of the user's language: `0.00025 BTC`, in Russian `0,00025 BTC`. */
export function withTicker({ amountInCurrency, currency }: Pick<Invoice, 'amountInCurrency' | 'currency'>): string {
  return `${formatDecimal(amountInCurrency)} ${currencyTicker(currency)}`;
}
