import type { Currency, Invoice } from '@cellhop/contract/invoices';

/** What wallets and exchanges call the coin, whatever network it travels through. */
export function tickerOf(currency: Currency): string {
  return currency.split('_', 1)[0]!;
}

/** `0.00025 BTC`: a number alone says too little about what to send. */
export function withTicker({ amountInCurrency, currency }: Pick<Invoice, 'amountInCurrency' | 'currency'>): string {
  return `${amountInCurrency} ${tickerOf(currency)}`;
}
