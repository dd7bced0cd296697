import { PERCENT_MAX, PERCENT_MIN, PROXY_PRICE_MAX, PROXY_PRICE_STEP } from '@cellhop/contract/limits';
import type { PriceChange, Selection } from '@cellhop/contract/staff/inventory';
import i18next, { type TFunction } from 'i18next';
import { parseAmount } from '../../format/amount.ts';
import { formatCount, formatMoney } from '../../format/format.ts';

export type PriceChangeKind = 'price' | 'percent';

/** Dollars with at most four decimals, or a percentage with a sign. Undefined for other texts. */
export function toPriceChange(kind: PriceChangeKind, text: string): PriceChange | undefined {
  if (kind === 'price') {
    const price = parseAmount(text, { decimals: 4 });
    return price !== undefined && price > 0 && price <= PROXY_PRICE_MAX ? { price } : undefined;
  }
  const percent = parseAmount(text, { decimals: 2, isSigned: true });
  if (percent === undefined || percent === 0) return undefined;
  return percent >= PERCENT_MIN && percent <= PERCENT_MAX ? { percent } : undefined;
}

/** What staff confirm: the direction, and the prices before and after. */
export function priceChangeWords(
  change: PriceChange,
  { count, lowestPrice, highestPrice }: Selection,
  t: TFunction<'staffInventory'>,
): string | undefined {
  if (lowestPrice === null || highestPrice === null) return undefined;
  const proxies = { count, number: formatCount(count) };
  if ('price' in change) return t('price.setTo', { ...proxies, price: formatMoney(change.price) });
  return t(change.percent < 0 ? 'price.lowerBy' : 'price.raiseBy', {
    ...proxies,
    percent: Math.abs(change.percent).toLocaleString(i18next.resolvedLanguage),
    before: priceRange(lowestPrice, highestPrice),
    after: priceRange(changedPrice(lowestPrice, change.percent), changedPrice(highestPrice, change.percent)),
  });
}

/** As the API rounds and limits it. */
function changedPrice(price: number, percent: number): number {
  const steps = Math.round((price * (100 + percent)) / 100 / PROXY_PRICE_STEP);
  return Math.min(Math.max(steps, 1) * PROXY_PRICE_STEP, PROXY_PRICE_MAX);
}

function priceRange(lowest: number, highest: number): string {
  return lowest === highest ? formatMoney(lowest) : `${formatMoney(lowest)}–${formatMoney(highest)}`;
}
