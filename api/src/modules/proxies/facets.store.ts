import type { Ctx } from '../../ctx.ts';

/** Scans all free proxies once, and writes the countries that have changed. Some seconds for a million. */
export async function countFacets(ctx: Ctx): Promise<void> {
  await ctx.db.query(`select set_config('jit', 'off', true)`);
  await ctx.db.query(
    `with combinations as materialized (
       select country_code, region, city, zip, isp, connection_type, count(*) as free
         from proxies
        where connection_id is null and is_healthy
        group by country_code, region, city, zip, isp, connection_type
     ), places as (
       select country_code,
              json_build_array(region, city, zip, json_agg(json_build_array(isp, connection_type, free))) as place,
              sum(hashtextextended(row(region, city, zip, isp, connection_type, free)::text, 0)) as fingerprint
         from combinations
        group by country_code, region, city, zip
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
