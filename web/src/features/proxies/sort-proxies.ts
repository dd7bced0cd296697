import type { Proxy } from '@cellhop/contract/proxies';

const texts = ['city', 'isp', 'connectionType'] as const;

/** @param sort a column in the notation of the table. Equal values keep the order of the search: by price, then address. */
export function sortProxies(proxies: readonly Proxy[], sort: string): readonly Proxy[] {
  const isDescending = sort.startsWith('-');
  const key = isDescending ? sort.slice(1) : sort;
  const text = texts.find((each) => each === key);
  const { compare } = new Intl.Collator(undefined, { numeric: true });
  const sign = isDescending ? -1 : 1;
  return proxies.toSorted(
    (one, other) => sign * (text === undefined ? one.price - other.price : compare(one[text], other[text])),
  );
}
