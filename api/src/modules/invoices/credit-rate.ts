import type { CurrencyRules } from '../../payments/currencies.ts';
import { PAR_RATE_E12 } from '../../payments/amounts.ts';

/**
 * The rate at which a payment is credited. Before the invoice's expiry it is the invoice's rate; after that the lower of this and the
 * rate on arrival, so that payers gain nothing by waiting for a better rate.
 * @param arrivalRateE12 undefined if there is no rate
 * @param invoice undefined for a payment without an invoice
 * @returns undefined if the payment must wait for a rate
 */
export function chooseCreditRate(
  { isStable }: Pick<CurrencyRules, 'isStable'>,
  arrivalRateE12: bigint | undefined,
  arrivedAt: Date,
  invoice: { rateE12: bigint; expiredAt: Date } | undefined,
): bigint | undefined {
  if (isStable) return PAR_RATE_E12;
  if (invoice && arrivedAt < invoice.expiredAt) return invoice.rateE12;
  if (!invoice || arrivalRateE12 === undefined) return arrivalRateE12;
  return invoice.rateE12 < arrivalRateE12 ? invoice.rateE12 : arrivalRateE12;
}
