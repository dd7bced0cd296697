/**
 * Currency amounts: decimal strings in the API, `bigint` in the smallest unit internally. `rateE12` is US dollars per coin,
 * times 10^12. Due amounts are rounded up, credits are rounded down.
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

/** With the displayed decimals, or more if needed for the exact amount. */
export function formatUnits(units: bigint, { decimals, displayDecimals }: DisplayDecimals): string {
  const digits = units.toString().padStart(decimals + 1, '0');
  const whole = digits.slice(0, -decimals);
  const fraction = digits.slice(-decimals).replace(/0+$/, '').padEnd(displayDecimals, '0');
  return `${whole}.${fraction}`;
}

/** The least units worth the amount. */
export function toUnits(amountMicros: bigint, rateE12: bigint, { decimals }: Decimals): bigint {
  return divideUp(amountMicros * RATE_PER_MICRO * 10n ** BigInt(decimals), rateE12);
}

/** The same, rounded up to the displayed decimals. */
export function toDueUnits(amountMicros: bigint, rateE12: bigint, rules: DisplayDecimals): bigint {
  return roundUpToDisplay(toUnits(amountMicros, rateE12, rules), rules);
}

/** US dollars for one coin, such as "100000.00". */
export function formatRate(rateE12: bigint): string {
  return formatUnits(rateE12, { decimals: 12, displayDecimals: 2 });
}

/** Rounds up to the displayed decimals. */
export function roundUpToDisplay(units: bigint, { decimals, displayDecimals }: DisplayDecimals): bigint {
  const step = 10n ** BigInt(decimals - displayDecimals);
  return divideUp(units, step) * step;
}

/** The value of the units, rounded down to a micro-dollar. */
export function toCreditMicros(units: bigint, rateE12: bigint, { decimals }: Decimals): bigint {
  return (units * rateE12) / (RATE_PER_MICRO * 10n ** BigInt(decimals));
}

function divideUp(dividend: bigint, divisor: bigint): bigint {
  return (dividend + divisor - 1n) / divisor;
}
