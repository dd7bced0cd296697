import type { Currency, Invoice } from '@cellhop/contract/invoices';

/** The coin's ticker, which is the same on every network. */
export function tickerOf(currency: Currency): string {
  return currency.split('_', 1)[0]!;
}

/** An amount with its ticker: `0.00025 BTC`. */
export function withTicker({ amountInCurrency, currency }: Pick<Invoice, 'amountInCurrency' | 'currency'>): string {
  return `${amountInCurrency} ${tickerOf(currency)}`;
}
