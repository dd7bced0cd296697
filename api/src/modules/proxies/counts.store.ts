import { type FilterGroup, filterGroups, ofGroups } from '@cellhop/contract/places.values';
import type { ProxyFilter } from '@cellhop/contract/proxies';
import type { Ctx } from '../../ctx.ts';
import { filterSql } from '../../db/place-columns.ts';
import { areaGroups, offerGroups } from './facet-index.ts';

export interface Counts {
  body: string;
  etag: string;
}

const GROUPS = filterGroups.map((group) => filterSql[group]);
const AREA = areaGroups.map((group) => filterSql[group]).join(', ');
const OFFER = offerGroups.map((group) => filterSql[group]).join(', ');

/** Scans all free proxies once: most of a second for a million. The columns are not null, but for the groups of others. */
export async function countFree(ctx: Ctx): Promise<ProxyFilter> {
  await ctx.db.query(`select set_config('jit', 'off', true)`);
  const rows = await ctx.db.query<{ group: FilterGroup; value: string; count: number }>(
    `select case ${filterGroups.map((group) => `when ${filterSql[group]} is not null then '${group}'`).join(' ')} end as "group",
            coalesce(${GROUPS.join(', ')}) as value, count(*)::int as count
       from proxies
      where connection_id is null and is_healthy
      group by grouping sets (${GROUPS.map((column) => `(${column})`).join(', ')})
      order by value`,
  );
  const filter: ProxyFilter = ofGroups(() => ({}));
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

/** Scans all free proxies once, and writes the countries that have changed. Some seconds for a million. */
export async function countFacets(ctx: Ctx): Promise<void> {
  await ctx.db.query(`select set_config('jit', 'off', true)`);
  await ctx.db.query(
    `with combinations as materialized (
       select country_code, ${AREA}, ${OFFER}, count(*) as free
         from proxies
        where connection_id is null and is_healthy
        group by country_code, ${AREA}, ${OFFER}
     ), places as (
       select country_code,
              json_build_array(${AREA}, json_agg(json_build_array(${OFFER}, free))) as place,
              sum(hashtextextended(row(${AREA}, ${OFFER}, free)::text, 0)) as fingerprint
         from combinations
        group by country_code, ${AREA}
     ), counted as materialized (
       select country_code, json_agg(place)::text as body, sum(fingerprint) as fingerprint
         from places
        group by country_code
     ), changed as (
       insert into proxy_facets (country_code, body, fingerprint, version)
       select country_code, counted.body, counted.fingerprint, nextval('proxy_facets_versions')
         from counted
         left join proxy_facets as known using (country_code)
        where known.fingerprint is distinct from counted.fingerprint
       on conflict (country_code) do update
          set body = excluded.body, fingerprint = excluded.fingerprint, version = excluded.version
     )
     update proxy_facets set body = '[]', fingerprint = 0, version = nextval('proxy_facets_versions')
      where fingerprint <> 0 and country_code not in (select country_code from counted)`,
  );
}

/** True if the last count is older than both `minimumMs` and `factor` times its duration. */
export async function areFacetsDue(ctx: Ctx, factor: number, minimumMs: number): Promise<boolean> {
  const rows = await ctx.db.query(
    `select from proxy_counts
      where facets_counted_at is null
         or facets_counted_at <= clock_timestamp() - greatest($1 * facets_took_ms, $2) * interval '1 millisecond'`,
    [factor, minimumMs],
  );
  return rows.length > 0;
}

export async function saveFacetsTime(ctx: Ctx, tookMs: number): Promise<void> {
  await ctx.db.query('update proxy_counts set facets_counted_at = clock_timestamp(), facets_took_ms = $1', [tookMs]);
}

/** @returns when the free proxies were counted; undefined if never */
export async function findFacetsTime(ctx: Ctx): Promise<Date | undefined> {
  const [row] = await ctx.db.query<{ countedAt: Date | null }>(
    'select facets_counted_at as "countedAt" from proxy_counts',
  );
  return row?.countedAt ?? undefined;
}

export interface FacetVersions {
  oldest: bigint;
  newest: bigint;
}

/** Undefined if they were never counted, or were lost in a crash of the database and nothing has been free since. */
export async function findFacetVersions(ctx: Ctx): Promise<FacetVersions | undefined> {
  const [row] = await ctx.db.query<{ oldest: bigint | null; newest: bigint | null }>(
    'select min(version) as oldest, max(version) as newest from proxy_facets',
  );
  if (!row || row.oldest === null || row.newest === null) return undefined;
  return { oldest: row.oldest, newest: row.newest };
}

interface CountryRow {
  countryCode: string;
  body: string;
  version: bigint;
}

/** Countries that have changed since a version, the earliest change first. */
export function findCountries(ctx: Ctx, sinceVersion: bigint, limit: number): Promise<CountryRow[]> {
  return ctx.db.query(
    `select country_code as "countryCode", body, version from proxy_facets where version > $1 order by version limit $2`,
    [sinceVersion, limit],
  );
}
