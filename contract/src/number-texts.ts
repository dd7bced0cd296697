import type { LanguageCode } from './schemas.ts';

const MONEY_DECIMALS_MAX = 6;

/** Dollars with 2 to 6 decimals: `$12,345.50`, `-$0.0072`; in Russian `$12 345,50` with no-break spaces. */
export function dollarText(language: LanguageCode, dollars: number): string {
  const [whole = '0', decimals = ''] = Math.abs(dollars).toFixed(MONEY_DECIMALS_MAX).split('.');
  const trimmed = decimals.replace(/0{1,4}$/, '');
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
