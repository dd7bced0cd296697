import type { LanguageCode } from './schemas.ts';

const MONEY_DECIMALS_MAX = 6;

/** The exact amount, with at least 2 and up to 6 decimals: `$12,345.50`, `-$0.0072`; in Russian `$12 345,50` with no-break spaces. */
export function dollarText(language: LanguageCode, dollars: number, decimalsMin = 2): string {
  const [whole = '0', decimals = ''] = Math.abs(dollars).toFixed(MONEY_DECIMALS_MAX).split('.');
  const trimmed = decimals.replace(/0+$/, '').padEnd(decimalsMin, '0');
  return `${dollars < 0 ? '-' : ''}$${groupThousands(language, whole)}${decimalMark(language)}${trimmed}`;
}

/** Cents, rounded down, so that it never shows more than the balance: `$12.34`. */
export function balanceText(language: LanguageCode, dollars: number): string {
  return roundedText(language, dollars, Math.floor);
}

/** What was paid, earned or used, in cents: `$12.35`. */
export function totalText(language: LanguageCode, dollars: number): string {
  return roundedText(language, dollars, Math.round);
}

/** What something will cost at most, in cents, rounded up: `$0.19`. */
export function priceText(language: LanguageCode, dollars: number): string {
  return roundedText(language, dollars, Math.ceil);
}

/** The price of one megabyte, rounded up to three decimals: `$0.004`. */
export function megabytePriceText(language: LanguageCode, dollars: number): string {
  const thousandths = Math.ceil(toMicros(dollars) / MICROS_PER_THOUSANDTH);
  return dollarText(language, (thousandths * MICROS_PER_THOUSANDTH) / 1e6, THOUSANDTHS);
}

const CENTS = 2;
const THOUSANDTHS = 3;
const MICROS_PER_THOUSANDTH = 1000;
const MICROS_PER_CENT = 10_000;

/** Cents; below ten cents three decimals; and all of them where that would be nothing. */
function roundedText(language: LanguageCode, dollars: number, round: (units: number) => number): string {
  const micros = toMicros(dollars);
  const isSmall = Math.abs(micros) < 10 * MICROS_PER_CENT;
  const unit = isSmall ? MICROS_PER_THOUSANDTH : MICROS_PER_CENT;
  const rounded = round(micros / unit) * unit;
  if (rounded === 0) return dollarText(language, dollars);
  return dollarText(language, rounded / 1e6, Math.abs(rounded) < 10 * MICROS_PER_CENT ? THOUSANDTHS : CENTS);
}

function toMicros(dollars: number): number {
  return Math.round(dollars * 1e6);
}

/** @param digits of a whole number: `1284` becomes `1,284` */
export function groupThousands(language: LanguageCode, digits: string): string {
  return digits.replaceAll(/\B(?=(\d{3})+$)/g, language === 'ru' ? '\u00A0' : ',');
}

/** A whole number: `1,284`. */
export function countText(language: LanguageCode, count: number): string {
  return groupThousands(language, String(count));
}

export function decimalMark(language: LanguageCode): string {
  return language === 'ru' ? ',' : '.';
}

/** After a preposition, in Russian in the accusative: «через 1 минуту». */
const timeUnits: Record<LanguageCode, readonly (readonly [seconds: number, forms: Record<string, string>])[]> = {
  en: [
    [3600, { one: 'hour', other: 'hours' }],
    [60, { one: 'minute', other: 'minutes' }],
    [1, { one: 'second', other: 'seconds' }],
  ],
  ru: [
    [3600, { one: 'час', few: 'часа', many: 'часов' }],
    [60, { one: 'минуту', few: 'минуты', many: 'минут' }],
    [1, { one: 'секунду', few: 'секунды', many: 'секунд' }],
  ],
};

/** In the largest unit that it is a whole number of: `30 minutes`, `90 seconds`. */
export function durationText(language: LanguageCode, seconds: number): string {
  const [unitSeconds, forms] = timeUnits[language].find(([unit]) => seconds % unit === 0)!;
  const count = seconds / unitSeconds;
  return `${countText(language, count)}\u00A0${forms[new Intl.PluralRules(language).select(count)]}`;
}
