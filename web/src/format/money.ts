/** How amounts are shown, apart from exact ones (`formatMoney`): `ui/money.tsx` has the exact one as tooltip. */
import { decimalMark, dollarText } from '@cellhop/contract/number-texts';
import { formatMoney, language } from './format.ts';

const CENTS = 2;
/** Cents, rounded down, so that it never shows more than the balance: `$12.34`. */
export function formatBalance(dollars: number): string {
  return formatRounded(dollars, Math.floor);
}

/** What was paid, earned or used, in cents: `$12.35`. */
export function formatTotal(dollars: number): string {
  return formatRounded(dollars, Math.round);
}

/** What something will cost at most, in cents, rounded up: `$0.19`. */
export function formatPrice(dollars: number): string {
  return formatRounded(dollars, Math.ceil);
}

/** The price of one megabyte, rounded up to three decimals: `$0.004`. */
export function formatMegabytePrice(dollars: number): string {
  const thousandths = Math.ceil(toMicros(dollars) / MICROS_PER_THOUSANDTH);
  return dollarText(language(), (thousandths * MICROS_PER_THOUSANDTH) / 1e6, THOUSANDTHS);
}

const THOUSANDTHS = 3;
const MICROS_PER_THOUSANDTH = 1000;
const MICROS_PER_CENT = 10_000;

/** Cents; below ten cents three decimals; and all of them where that would be nothing. */
function formatRounded(dollars: number, round: (units: number) => number): string {
  const micros = toMicros(dollars);
  const isSmall = Math.abs(micros) < 10 * MICROS_PER_CENT;
  const unit = isSmall ? MICROS_PER_THOUSANDTH : MICROS_PER_CENT;
  const rounded = round(micros / unit) * unit;
  if (rounded === 0) return formatMoney(dollars);
  const decimals = Math.abs(rounded) < 10 * MICROS_PER_CENT ? THOUSANDTHS : CENTS;
  return dollarText(language(), rounded / 1e6, decimals);
}

function toMicros(dollars: number): number {
  return Math.round(dollars * 1e6);
}

/** Counts the decimals of a formatted amount. */
export function countDecimals(money: string): number {
  return money.length - money.indexOf(decimalMark(language())) - 1;
}

/** The largest number of decimals in a column of formatted amounts. */
export function maxDecimals(dollars: readonly number[], format = formatTotal): number {
  return Math.max(CENTS, ...dollars.map((each) => countDecimals(format(each))));
}
