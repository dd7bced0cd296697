import type { Currency } from '@cellhop/contract/invoices.values';
import { PAR_RATE_E12 } from '../payments/amounts.ts';
import type { RateSource } from '../payments/rates/source.ts';

const fromCents = (cents: bigint) => cents * 10n ** 10n;

/**
 * Fixed sandbox rates, in cents, chosen so that whole dollars are short amounts in each currency. Documented in docs/payments.md.
 */
const ratesE12: Record<Currency, bigint> = {
  BTC: fromCents(100_000_00n),
  ETH: fromCents(4_000_00n),
  LTC: fromCents(100_00n),
  TRX: fromCents(25n),
  TON: fromCents(2_50n),
  USDT_TRC20: PAR_RATE_E12,
  USDT_ERC20: PAR_RATE_E12,
  USDT_BSC: PAR_RATE_E12,
  USDT_TON: PAR_RATE_E12,
};

export const sandboxRates: RateSource = {
  rateE12: (currency) => Promise.resolve(ratesE12[currency]),
  rateE12At: (currency) => sandboxRates.rateE12(currency),
};
