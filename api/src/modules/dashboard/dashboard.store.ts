import type { DashboardQuery } from '@cellhop/contract/staff/dashboard';
import { reportUnknownTimeZone } from '../../db/refusals.ts';
import type { Ctx } from '../../ctx.ts';
import { NEW_SUMS } from './sums.store.ts';

export type Figure = 'REVENUE' | 'TOP_UP' | 'UPLOADED' | 'DOWNLOADED' | 'SIGN_UP';

export interface SumRow {
  /** Index of the step. */
  step: number;
  figure: Figure;
  /** Empty if it is not known. */
  currency: string;
  amount: bigint;
  count: bigint;
}

/** How many newer transfers to add to the stored sums. There are more only after a long pause of the worker, which adds them later. */
const NEW_TRANSFERS_MAX = 50_000;

/**
 * The stored sums and newer transfers, in one statement: none is missed or counted twice. A step of 24 hours is read from the sums of
 * days, others (hours, the ends of the range, and days when the clocks change) from those of hours. Hours are those of UTC; one that begins
 * before its step, in a time zone with half hours, belongs to the step before.
 */
export function listSums(
  ctx: Ctx,
  { from, to }: Pick<DashboardQuery, 'from' | 'to'>,
  steps: readonly Date[],
  figures: readonly Figure[],
): Promise<SumRow[]> {
  if (figures.length === 0) return Promise.resolve([]);
  return ctx.db.query(
    `with fresh as (
       select reason, idempotency_key, amount_micros, created_at
         from readable_transfers where id > (select transfer_id from dashboard_mark) order by id limit $5
     ), wanted as materialized (
       select step::int - 1 as step, date_bin('1 hour', greatest(at, $1) + interval '1 hour' - interval '1 microsecond', epoch) as start,
              date_bin('1 hour', least(next, $2) + interval '1 hour' - interval '1 microsecond', epoch) as end
         from (select at, step, lead(at, 1, $2::timestamptz) over (order by step) as next
                 from unnest($3::timestamptz[]) with ordinality as given (at, step)) as steps,
              (select timestamptz '2000-01-01 00:00:00+00' as epoch) as hours
     ), summed as (
       select step, figure, currency, amount, count
         from wanted join dashboard_days as days on days.start = wanted.start
        where wanted.end = wanted.start + interval '24 hours'
       union all
       select step, figure, currency, amount, count
         from wanted cross join lateral (
           select * from dashboard_sums where figure = any($4::dashboard_figure[]) and hour >= wanted.start and hour < wanted.end
           ) as sums
        where wanted.end <> wanted.start + interval '24 hours'
       union all
       select step, figure, currency, amount, count
         from (${NEW_SUMS}) as added join wanted on hour >= wanted.start and hour < wanted.end
     )
     select step, figure, currency, sum(amount)::bigint as amount, sum(count)::bigint as count
       from summed where figure = any($4::dashboard_figure[]) group by 1, 2, 3`,
    [from, to, steps.map((step) => step.toISOString()), figures, NEW_TRANSFERS_MAX],
  );
}

/** The hours or days of the range (`time_steps.sql`). */
export async function listSteps(ctx: Ctx, { from, to, step, timeZone }: DashboardQuery): Promise<Date[]> {
  const reading = ctx.db.query<{ at: Date }>('select time_steps($1, $2, $3, $4) as at', [from, to, step, timeZone]);
  return (await reportUnknownTimeZone(reading)).map(({ at }) => at);
}

export async function countLive(ctx: Ctx): Promise<number> {
  const [row] = await ctx.db.query<{ count: number }>(
    "select count(*)::int as count from readable_connections where status = 'WORK'",
  );
  return row!.count;
}

export interface CountryRow {
  countryCode: string;
  free: number;
  sold: number;
  unhealthy: number;
}

/** Countries with the most proxies first. */
export function listProxies(ctx: Ctx): Promise<CountryRow[]> {
  return ctx.db.query(
    `select country_code as "countryCode", free, sold, unhealthy from dashboard_proxies
      order by free + sold + unhealthy desc, country_code`,
  );
}

/** A gateway reports twice a second; after this silence it counts as offline. */
const NODE_SILENCE_SECONDS = 15;

export interface NodeCounts {
  total: number;
  online: number;
  /** Offline, although they are not drained. */
  silent: number;
}

export async function countNodes(ctx: Ctx): Promise<NodeCounts> {
  const [row] = await ctx.db.query<NodeCounts>(
    `select count(*)::int as total, count(*) filter (where is_online)::int as online,
            count(*) filter (where not is_online and not is_draining)::int as silent
       from (select is_draining, exists (select from readable_gateway_runs as runs
                             where node_id = nodes.id and seen_at > now() - $1 * interval '1 second') as is_online
               from readable_gateway_nodes as nodes) as node`,
    [NODE_SILENCE_SECONDS],
  );
  return row!;
}

/** As the worker has noted last. */
export async function listFailingNodes(ctx: Ctx, limit: number): Promise<string[]> {
  const rows = await ctx.db.query<{ name: string }>(
    'select name from readable_gateway_nodes where failing_since is not null order by name limit $1',
    [limit],
  );
  return rows.map(({ name }) => name);
}

/** Names of gateways whose certificate ends soon, or has ended. */
export async function listEndingCertificates(ctx: Ctx, limit: number): Promise<string[]> {
  const rows = await ctx.db.query<{ name: string }>(
    'select name from readable_gateway_nodes where certificate_ends_soon_at < now() order by name limit $1',
    [limit],
  );
  return rows.map(({ name }) => name);
}

/** As the worker has counted them last. */
export async function countTroubled(ctx: Ctx): Promise<{ unhealthy: number; elsewhere: number }> {
  const [row] = await ctx.db.query<{ unhealthy: number; elsewhere: number }>(
    `select coalesce(sum(unhealthy), 0)::int as unhealthy, coalesce(sum(elsewhere), 0)::int as elsewhere from dashboard_proxies`,
  );
  return row!;
}
