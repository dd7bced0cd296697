/** The catalogue. A proxy is free while it is healthy and has no open connection; only free proxies are shown. */
import type { Proxy, ProxyQuery } from '@cellhop/contract/proxies';
import { megabytePrice, toDollars } from '@cellhop/contract/units';
import type { Ctx } from '../../ctx.ts';
import { findLowestPrice } from './search.store.ts';
import { searchFree } from './search.ts';

export { createCountsReader, ensureCounts, refreshCounts } from './counts.ts';
export { createFacetsReader, refreshFacets } from './facets.ts';

/** At most 50 free proxies, cheapest first. Values of one group are combined with OR, groups with AND. */
export async function search(ctx: Ctx, query: ProxyQuery): Promise<Proxy[]> {
  const rows = await searchFree(ctx, query);
  return rows.map(({ priceMicros, ...proxy }) => ({ ...proxy, price: toDollars(priceMicros) }));
}

/** For visitors. */
export async function getLowestPrice(ctx: Ctx): Promise<{ megabytePrice: number | null }> {
  const priceMicros = await findLowestPrice(ctx);
  return { megabytePrice: priceMicros === undefined ? null : toDollars(megabytePrice(priceMicros)) };
}
