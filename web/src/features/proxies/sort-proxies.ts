import type { Proxy } from '@cellhop/contract/proxies';

const texts = ['city', 'isp', 'connectionType'] as const;

/** @param sort a column in the notation of the table. Equal values keep the order of the search: by price, then address. */
export function sortProxies(proxies: readonly Proxy[], sort: string): readonly Proxy[] {
  const isDescending = sort.startsWith('-');
  const key = isDescending ? sort.slice(1) : sort;
  const text = texts.find((each) => each === key);
  const compare = text === undefined ? comparePrices : compareTexts(text);
  const sign = isDescending ? -1 : 1;
  return proxies.toSorted((one, other) => sign * compare(one, other));
}

function comparePrices(one: Proxy, other: Proxy): number {
  return one.price - other.price;
}

function compareTexts(text: (typeof texts)[number]): (one: Proxy, other: Proxy) => number {
  // Created only for texts, because the first one takes a slow phone several milliseconds.
  const { compare } = new Intl.Collator(undefined, { numeric: true });
  return (one, other) => compare(one[text], other[text]);
}
