import type { Invoice } from '@cellhop/contract/invoices';
import { currencyTicker } from '@cellhop/contract/coins';
import { formatDecimal } from '../../format/format.ts';

/** An amount with its ticker, in the notation of the user's language: `0.00025 BTC`, in Russian `0,00025 BTC`. */
export function withTicker({ amountInCurrency, currency }: Pick<Invoice, 'amountInCurrency' | 'currency'>): string {
  return `${formatDecimal(amountInCurrency)} ${currencyTicker(currency)}`;
}
