import type { FilterGroup } from '@cellhop/contract/proxies.values';
import type { ProxyFilter } from '@cellhop/contract/proxies';
import type { Ctx } from '../../ctx.ts';

export interface Counts {
  body: string;
  etag: string;
}

/** Scans all free proxies once: most of a second for a million. */
export async function countFree(ctx: Ctx): Promise<ProxyFilter> {
  await ctx.db.query(`select set_config('jit', 'off', true)`);
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

/**
 * True if there is no count yet, or the last one is older than both `minimumMs` and `factor` times its duration.
 */
export async function isDue(ctx: Ctx, factor: number, minimumMs: number): Promise<boolean> {
  const rows = await ctx.db.query(
    `select from proxy_counts
      where counted_at > clock_timestamp() - greatest($1 * took_ms, $2) * interval '1 millisecond'`,
    [factor, minimumMs],
  );
  return rows.length === 0;
}

/** The id of the advisory lock. */
const LOCK_ID = 727_003;

/** Holds until the end of the transaction. @returns false if another process is counting */
export async function tryLockCounting(ctx: Ctx): Promise<boolean> {
  const [row] = await ctx.db.query<{ isMine: boolean }>('select pg_try_advisory_xact_lock($1) as "isMine"', [LOCK_ID]);
  return row!.isMine;
}

/** Waits until no other process is counting. */
export async function lockCounting(ctx: Ctx): Promise<void> {
  await ctx.db.query('select pg_advisory_xact_lock($1)', [LOCK_ID]);
}

export async function saveCounts(ctx: Ctx, { body, etag }: Counts, tookMs: number): Promise<void> {
  await ctx.db.query(
    `insert into proxy_counts (body, etag, took_ms) values ($1, $2, $3)
     on conflict (is_only) do update
        set body = excluded.body, etag = excluded.etag, took_ms = excluded.took_ms, counted_at = excluded.counted_at`,
    [body, etag, tookMs],
  );
}

/** Saves only the time if the counts have not changed, because the body may be a megabyte. @returns false if they have changed */
export async function confirmCounts(ctx: Ctx, etag: string, tookMs: number): Promise<boolean> {
  const rows = await ctx.db.query(
    'update proxy_counts set counted_at = clock_timestamp(), took_ms = $2 where etag = $1 returning etag',
    [etag, tookMs],
  );
  return rows.length > 0;
}

export async function findEtag(ctx: Ctx): Promise<string | undefined> {
  const [row] = await ctx.db.query<{ etag: string }>('select etag from proxy_counts');
  return row?.etag;
}

export async function findCounts(ctx: Ctx): Promise<Counts | undefined> {
  const [row] = await ctx.db.query<Counts>('select body, etag from proxy_counts');
  return row;
}
