import { PERCENT_MAX, PERCENT_MIN, PROXY_PRICE_MAX, PROXY_PRICE_STEP } from '@cellhop/contract/limits';
import type { PriceChange, Selection } from '@cellhop/contract/staff/inventory';
import type { TFunction } from 'i18next';
import { formatCount, formatDecimal, formatMoney, prepaidPrice } from '../../format/format.ts';
import { type Bounds, readNumber } from '../../format/number-kinds.ts';

export type PriceChangeKind = 'price' | 'percent';

const notations = {
  price: { kind: 'price', min: PROXY_PRICE_STEP, max: PROXY_PRICE_MAX },
  percent: { kind: 'percentChange', min: PERCENT_MIN, max: PERCENT_MAX, isNonZero: true },
} as const;

/** Of the field with the change. */
export function priceNotation(kind: PriceChangeKind): Bounds & { kind: 'price' | 'percentChange' } {
  return notations[kind];
}

/** Dollars with at most four decimals, or a percentage with a sign. Undefined for other texts. */
export function toPriceChange(change: PriceChangeKind, text: string): PriceChange | undefined {
  const { kind, ...bounds } = priceNotation(change);
  const { value } = readNumber(kind, text, bounds);
  if (value === undefined) return undefined;
  return change === 'price' ? { price: value } : { percent: value };
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
    percent: formatDecimal(String(Math.abs(change.percent))),
    before: priceRange(lowestPrice, highestPrice),
    after: priceRange(changedPrice(lowestPrice, change.percent), changedPrice(highestPrice, change.percent)),
  });
}

/** What customers will see in the catalogue, which has the price of the first 50 MB, and what they see now. */
export function customerPriceWords(
  change: PriceChange,
  { lowestPrice, highestPrice }: Selection,
  t: TFunction<'staffInventory'>,
): string | undefined {
  if (lowestPrice === null || highestPrice === null) return undefined;
  const after = [lowestPrice, highestPrice].map((price) =>
    'price' in change ? change.price : changedPrice(price, change.percent),
  );
  return t('price.ofCustomers', {
    before: priceRange(prepaidPrice(lowestPrice), prepaidPrice(highestPrice)),
    after: priceRange(...(after.map(prepaidPrice) as [number, number])),
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
