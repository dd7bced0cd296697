import type { LanguageCode } from '@cellhop/contract/schemas';

/** Dollars with 2 to 6 decimals, as the web app shows them: `$12,345.50`, in Russian `$12 345,50` with no-break spaces. */
export function dollarText(languageCode: LanguageCode, dollars: number): string {
  const [whole = '0', decimals = ''] = dollars.toFixed(6).split('.');
  const isRussian = languageCode === 'ru';
  const grouped = whole.replaceAll(/\B(?=(\d{3})+$)/g, isRussian ? '\u00A0' : ',');
  return `$${grouped}${isRussian ? ',' : '.'}${decimals.replace(/0{1,4}$/, '')}`;
}
