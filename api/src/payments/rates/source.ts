import type { Currency } from '@cellhop/contract/invoices.values';

/** Stored exchange rates, so that no request waits for the network: US dollars per coin, times 10^12. */
export interface RateSource {
  /**
   * The current rate.
   * @param amountMicros the amount to convert; large amounts need more sources
   * @returns undefined while there is no reliable rate
   */
  rateE12(currency: Currency, amountMicros?: bigint): Promise<bigint | undefined>;
  /** The rate at that moment; without one, the first after it. Undefined if there is none yet. */
  rateE12At(currency: Currency, at: Date): Promise<bigint | undefined>;
}
