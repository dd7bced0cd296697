import type { Currency } from '@cellhop/contract/invoices';

/** Where rates come from. A source answers from what it has at hand; it never makes a request wait for the internet. */
export interface RateSource {
  /** US dollars for one coin, times 10^12; undefined while no trustworthy rate is known. */
  rateE12(currency: Currency): Promise<bigint | undefined>;
}
