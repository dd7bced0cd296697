/** The catalogue. A proxy is free while it is healthy and no connection has it; only free ones are ever shown. */
import type { Proxy, ProxyFilter, ProxyQuery } from '@cellhop/contract/proxies';
import { toDollars } from '@cellhop/contract/units';
import type { Ctx } from '../../ctx.ts';
import * as store from './proxies.store.ts';

/** At most 50 free proxies: values of one group are alternatives, groups narrow the result. */
export async function search(ctx: Ctx, query: ProxyQuery): Promise<Proxy[]> {
  const rows = await store.searchFree(ctx, query);
  return rows.map(({ priceMicros, ...proxy }) => ({ ...proxy, price: toDollars(priceMicros) }));
}

/** The counts are kept this many times as long as they took to make: at most a tenth of one core goes into them. */
const KEEP_FACTOR = 10;

/**
 * Reads the filter groups with their counts. Counting walks all free proxies: a millisecond for hundreds, most of a
 * second for a million. Callers that come while it runs share it, and a slow count is kept in proportion.
 */
export function createFilterReader(): (ctx: Ctx) => Promise<ProxyFilter> {
  let current: { filter: Promise<ProxyFilter>; keepUntil: number } | undefined;
  return (ctx) => {
    if (current && performance.now() < current.keepUntil) return current.filter;
    const startedAt = performance.now();
    const counting = { filter: store.countFree(ctx), keepUntil: Number.POSITIVE_INFINITY };
    current = counting;
    counting.filter.then(
      () => (counting.keepUntil = performance.now() + KEEP_FACTOR * (performance.now() - startedAt)),
      () => (counting.keepUntil = 0), // A failure is told to those who waited and kept for nobody else.
    );
    return counting.filter;
  };
}

/** Back to the catalogue. */
export function giveBack(ctx: Ctx, id: string): Promise<void> {
  return store.release(ctx, id);
}
