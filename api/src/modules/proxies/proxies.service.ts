/** The catalogue. A proxy is free while it is healthy and no connection has it; only free ones are ever shown. */
import type { Proxy, ProxyQuery } from '@cellhop/contract/proxies';
import { toDollars } from '@cellhop/contract/units';
import type { Ctx } from '../../ctx.ts';
import { searchFree } from './search.ts';

export { createCountsReader, ensureCounts, refreshCounts } from './counts.ts';
export { assignExits } from './exits.ts';

/** At most 50 free proxies, cheapest first: values of one group are alternatives, groups narrow the result. */
export async function search(ctx: Ctx, query: ProxyQuery): Promise<Proxy[]> {
  const rows = await searchFree(ctx, query);
  return rows.map(({ priceMicros, ...proxy }) => ({ ...proxy, price: toDollars(priceMicros) }));
}
