import type { LanguageCode } from './schemas.ts';

const MONEY_DECIMALS_MAX = 6;

/** Dollars with at least 2 and up to 6 decimals: `$12,345.50`, `-$0.0072`; in Russian `$12 345,50` with no-break spaces. */
export function dollarText(language: LanguageCode, dollars: number, decimalsMin = 2): string {
  const [whole = '0', decimals = ''] = Math.abs(dollars).toFixed(MONEY_DECIMALS_MAX).split('.');
  const trimmed = decimals.replace(/0+$/, '').padEnd(decimalsMin, '0');
  return `${dollars < 0 ? '-' : ''}$${groupThousands(language, whole)}${decimalMark(language)}${trimmed}`;
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
