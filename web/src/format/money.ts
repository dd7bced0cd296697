/** How amounts are shown, apart from exact ones (`formatMoney`): `ui/money.tsx` has the exact one as tooltip. */
import { balanceText, decimalMark, megabytePriceText, priceText, totalText } from '@cellhop/contract/number-texts';
import { language } from './format.ts';

const CENTS = 2;

export const formatBalance = (dollars: number) => balanceText(language(), dollars);
export const formatTotal = (dollars: number) => totalText(language(), dollars);
export const formatPrice = (dollars: number) => priceText(language(), dollars);
export const formatMegabytePrice = (dollars: number) => megabytePriceText(language(), dollars);

/** Counts the decimals of a formatted amount. */
export function countDecimals(money: string): number {
  return money.length - money.indexOf(decimalMark(language())) - 1;
}

/** The largest number of decimals in a column of formatted amounts. */
export function maxDecimals(dollars: readonly number[], format = formatTotal): number {
  return Math.max(CENTS, ...dollars.map((each) => countDecimals(format(each))));
}
