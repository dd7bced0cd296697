import type { Currency } from '@cellhop/contract/invoices';

/** A source of exchange rates. It returns cached rates and never makes a request wait for the network. */
export interface RateSource {
  /** US dollars per coin, times 10^12; undefined while there is no reliable rate. */
  rateE12(currency: Currency): Promise<bigint | undefined>;
}
