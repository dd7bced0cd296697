/**
 * The two ways to search the catalogue; `searchFree` chooses one for each filter. Each statement forces its kind of plan, because
 * a wrong row estimate of the planner can turn a millisecond into a second.
 */
import { PROXY_SEARCH_MAX } from '@cellhop/contract/limits';
import type { ProxyQuery, Proxy } from '@cellhop/contract/proxies';
import { filterGroups, type FilterGroup } from '@cellhop/contract/places.values';
import type { Ctx } from '../../ctx.ts';
import { filterSql, placeSql, selectPlace } from '../../db/place-columns.ts';
import type { LimitsRow } from './limits.store.ts';

export type ProxyRow = Omit<Proxy, 'ip' | 'price' | 'checkedAt' | 'latencyMs' | 'limits'> &
  LimitsRow & { ip: string | null; priceMicros: bigint; exitId: string };

const COLUMNS = `id, exit_id as "exitId", host(ip) as ip, price_micros as "priceMicros", ${selectPlace()}, port_rule as "portRule",
            tunnels_max as "tunnelsMax", bytes_per_second_max as "bytesPerSecondMax"`;

const IS_FREE = 'connection_id is null and is_healthy';
const RAW_COLUMNS = `id, exit_id, ip, price_micros, ${placeSql.map(({ sql }) => sql).join(', ')}, port_rule, tunnels_max, bytes_per_second_max`;
/** A stable order for equal prices: addresses as numbers. Without the cast `ip` would be the column of the result, a text. */
const CHEAPEST = `order by price_micros, ip::inet limit ${PROXY_SEARCH_MAX}`;

/** Sets a timeout and the planner options for the rest of the transaction. */
export async function setTimeLimit(ctx: Ctx, timeoutMs: number): Promise<void> {
  await ctx.db.query(
    `select set_config('statement_timeout', $1, true), set_config('jit', 'off', true),
            set_config('max_parallel_workers_per_gather', '0', true), set_config('enable_seqscan', 'off', true),
            set_config('enable_bitmapscan', 'off', true), set_config('enable_sort', 'off', true)`,
    [String(timeoutMs)],
  );
}

/** The cheapest free proxies of the whole catalogue: one page of the index. */
export function findCheapest(ctx: Ctx): Promise<ProxyRow[]> {
  return ctx.db.query(
    `select ${COLUMNS}
       from (select ${RAW_COLUMNS} from proxies where ${IS_FREE} order by price_micros limit ${PROXY_SEARCH_MAX}) as cheapest
      ${CHEAPEST}`,
  );
}

/** For 100 MB: the first row of the index of free proxies. */
export async function findLowestPrice(ctx: Ctx): Promise<bigint | undefined> {
  const [row] = await ctx.db.query<{ priceMicros: bigint }>(
    `select price_micros as "priceMicros" from proxies where ${IS_FREE} order by price_micros limit 1`,
  );
  return row?.priceMicros;
}

/** For 100 MB, of all proxies that are offered, sold ones included. @returns undefined if there is none */
export async function findListPrice(ctx: Ctx): Promise<bigint | undefined> {
  const [row] = await ctx.db.query<{ priceMicros: bigint | null }>(
    'select min(price_micros) as "priceMicros" from proxies where is_healthy',
  );
  return row?.priceMicros ?? undefined;
}

/** For 100 MB, the cheapest free proxy of each country: the first row of each in the index. Sold-out countries are left out. */
export function findLowestPrices(
  ctx: Ctx,
  countryCodes: readonly string[],
): Promise<{ countryCode: string; priceMicros: bigint }[]> {
  return ctx.db.query(
    `select listed.country_code as "countryCode", cheapest.price_micros as "priceMicros"
       from unnest($1::text[]) as listed (country_code)
      cross join lateral (select price_micros from proxies
                           where ${IS_FREE} and country_code = listed.country_code order by price_micros limit 1) as cheapest`,
    [countryCodes],
  );
}

export interface Walk {
  rows: ProxyRow[];
  /** False if a list was cut at `depth`: there may be more matches after that, none of them cheaper. */
  isComplete: boolean;
}

/**
 * Scans the free proxies of each value of one group, cheapest first, and keeps those that match the other groups. The list of
 * each value is cut after `depth` rows. Returns nothing more expensive than the cheapest price at which a list was cut.
 */
export async function walkByPrice(ctx: Ctx, group: FilterGroup, query: ProxyQuery, depth: number): Promise<Walk> {
  const others = filterGroups.filter((other) => other !== group);
  const conditions = others.map(
    (other, index) => `and ($${index + 3}::text[] is null or ${filterSql[other]} = any($${index + 3}))`,
  );
  const rows = await ctx.db.query<{ isComplete: boolean } & (ProxyRow | { id: null })>(
    `with walked as materialized (
       select listed.*, value
         from unnest($1::text[]) as value
        cross join lateral (select ${RAW_COLUMNS} from proxies
                             where ${IS_FREE} and ${filterSql[group]} = value order by price_micros limit $2) as listed
     ), horizon as (
       select min(last_micros) as dearest_micros
         from (select max(price_micros) as last_micros from walked group by value having count(*) = $2) as left_early
     )
     select dearest_micros is null as "isComplete", ${COLUMNS}
       from horizon
       left join lateral (
         select * from walked
          where price_micros <= coalesce(dearest_micros, price_micros) ${conditions.join(' ')}
          ${CHEAPEST}
       ) as matching on true`,
    [query[group], depth, ...others.map((other) => query[other] ?? null)],
  );
  return { isComplete: rows[0]!.isComplete, rows: rows.filter((row) => row.id !== null) };
}

/** The cheapest of the first `sampleSize` matches, found in an index that has all groups. */
export async function readMatches(ctx: Ctx, query: ProxyQuery, sampleSize: number): Promise<ProxyRow[]> {
  await allowBitmaps(ctx);
  const groups = filterGroups.filter((group) => query[group]);
  return ctx.db.query(
    `with matching as materialized (
       select ${RAW_COLUMNS} from proxies
        where ${IS_FREE} ${groups.map((group, index) => `and ${filterSql[group]} = any($${index + 2}::text[])`).join(' ')}
        limit $1
     )
     select ${COLUMNS} from matching ${CHEAPEST}`,
    [sampleSize, ...groups.map((group) => query[group])],
    // The planner needs the values to choose the most selective index.
    { isPrepared: false },
  );
}

/** Disables plain index scans: because of the limit, the planner would scan the whole catalogue by price. */
async function allowBitmaps(ctx: Ctx): Promise<void> {
  await ctx.db.query(
    `select set_config('enable_bitmapscan', 'on', true), set_config('enable_sort', 'on', true),
            set_config('enable_indexscan', 'off', true)`,
  );
}

export interface CheckedExit {
  exitId: string;
  /** Null: never. */
  succeededAt: Date | null;
  latencyMs: number | null;
  seenAddress: string | null;
  rotates: boolean;
}

export function findChecks(ctx: Ctx, exitIds: readonly string[]): Promise<CheckedExit[]> {
  return ctx.db.query(
    `select exit_id as "exitId", succeeded_at as "succeededAt", latency_ms as "latencyMs", host(seen_address) as "seenAddress",
            exists (select from rotation_states where rotation_states.exit_id = exit_states.exit_id) as rotates
       from exit_states where exit_id = any($1::uuid[])`,
    [exitIds],
  );
}
