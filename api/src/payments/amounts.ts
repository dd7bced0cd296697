/**
 * Amounts of currencies: decimal strings outside, `bigint` of the smallest unit inside. `rateE12` is US dollars for one
 * coin, times 10^12. Rounding is always to the side that keeps the books true: what is due up, what is credited down.
 */
import type { CurrencyRules } from './currencies.ts';

type Decimals = Pick<CurrencyRules, 'decimals'>;
type DisplayDecimals = Pick<CurrencyRules, 'decimals' | 'displayDecimals'>;

/** The rate of a stablecoin: one coin is one dollar. */
export const PAR_RATE_E12 = 10n ** 12n;
/** A micro-dollar is 10^-6, a rate is times 10^12. */
const RATE_PER_MICRO = 10n ** 6n;

/** @returns undefined if the text has more decimals than the currency, or is no decimal number */
export function parseUnits(text: string, { decimals }: Decimals): bigint | undefined {
  const match = /^(\d+)(?:\.(\d+))?$/.exec(text);
  if (!match) return undefined;
  const [, whole = '', fraction = ''] = match;
  if (fraction.length > decimals) return undefined;
  return BigInt(whole + fraction.padEnd(decimals, '0'));
}

/** With as many decimals as are displayed; with more where the amount would not be exact. */
export function formatUnits(units: bigint, { decimals, displayDecimals }: DisplayDecimals): string {
  const digits = units.toString().padStart(decimals + 1, '0');
  const whole = digits.slice(0, -decimals);
  const fraction = digits.slice(-decimals).replace(/0+$/, '').padEnd(displayDecimals, '0');
  return `${whole}.${fraction}`;
}

/** The fewest units, in steps of the displayed decimals, that are worth the amount. */
export function toDueUnits(amountMicros: bigint, rateE12: bigint, rules: DisplayDecimals): bigint {
  return roundUpToDisplay(divideUp(amountMicros * RATE_PER_MICRO * 10n ** BigInt(rules.decimals), rateE12), rules);
}

/** Up to the next amount that the displayed decimals can write. */
export function roundUpToDisplay(units: bigint, { decimals, displayDecimals }: DisplayDecimals): bigint {
  const step = 10n ** BigInt(decimals - displayDecimals);
  return divideUp(units, step) * step;
}

/** What the units are worth; a fraction of a micro-dollar is not credited. */
export function toCreditMicros(units: bigint, rateE12: bigint, { decimals }: Decimals): bigint {
  return (units * rateE12) / (RATE_PER_MICRO * 10n ** BigInt(decimals));
}

function divideUp(dividend: bigint, divisor: bigint): bigint {
  return (dividend + divisor - 1n) / divisor;
}
