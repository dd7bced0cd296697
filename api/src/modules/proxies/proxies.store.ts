import { PROXY_SEARCH_MAX } from '@cellhop/contract/limits';
import {
  filterGroups,
  type FilterGroup,
  type Proxy,
  type ProxyFilter,
  type ProxyQuery,
} from '@cellhop/contract/proxies';
import type { Ctx } from '../../ctx.ts';

type ProxyRow = Omit<Proxy, 'price'> & { priceMicros: bigint };

const COLUMNS = `id, host(ip) as ip, price_micros as "priceMicros", country_code as "countryCode", region, city, zip, isp,
            connection_type as "connectionType"`;

/** Without an order: with one, contradictory filters make the planner walk the whole catalogue in that order. */
export function searchFree(ctx: Ctx, query: ProxyQuery): Promise<ProxyRow[]> {
  return ctx.db.query(
    `select ${COLUMNS}
       from proxies
      where connection_id is null and is_healthy
        and ($1::text[] is null or country_code = any($1))
        and ($2::text[] is null or city = any($2))
        and ($3::text[] is null or region = any($3))
        and ($4::text[] is null or zip = any($4))
        and ($5::text[] is null or isp = any($5))
        and ($6::text[] is null or connection_type = any($6))
      limit ${PROXY_SEARCH_MAX}`,
    filterGroups.map((group) => query[group] ?? null),
    // Planned with the values at hand: which of the six indexes is best depends on which groups are given.
    { isPrepared: false },
  );
}

export async function countFree(ctx: Ctx): Promise<ProxyFilter> {
  const rows = await ctx.db.query<{ group: FilterGroup; value: string; count: number }>(
    `select case grouping(country_code, city, region, zip, isp, connection_type)
              when 31 then 'country' when 47 then 'city' when 55 then 'region'
              when 59 then 'zip' when 61 then 'isp' else 'connectionType' end as "group",
            coalesce(country_code, city, region, zip, isp, connection_type) as value, count(*)::int as count
       from proxies
      where connection_id is null and is_healthy
      group by grouping sets ((country_code), (city), (region), (zip), (isp), (connection_type))
      order by value`,
  );
  const filter: ProxyFilter = { country: {}, city: {}, region: {}, zip: {}, isp: {}, connectionType: {} };
  for (const { group, value, count } of rows) filter[group][value] = count;
  return filter;
}

export async function release(ctx: Ctx, id: string): Promise<void> {
  await ctx.db.query('update proxies set connection_id = null where id = $1', [id]);
}
