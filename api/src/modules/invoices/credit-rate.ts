import type { CurrencyRules } from '../../payments/currencies.ts';
import { PAR_RATE_E12 } from '../../payments/amounts.ts';

/**
 * The rate that a payment is credited at. In time it has the invoice's; after that the lower of this one and the
 * present one, so that waiting for a better rate earns nothing.
 * @param presentRateE12 the rate now
 * @param invoice undefined for a payment without an invoice
 */
export function chooseCreditRate(
  { isStable }: Pick<CurrencyRules, 'isStable'>,
  presentRateE12: bigint,
  arrivedAt: Date,
  invoice: { rateE12: bigint; expiredAt: Date } | undefined,
): bigint {
  if (isStable) return PAR_RATE_E12;
  if (!invoice) return presentRateE12;
  if (arrivedAt < invoice.expiredAt) return invoice.rateE12;
  return invoice.rateE12 < presentRateE12 ? invoice.rateE12 : presentRateE12;
}
