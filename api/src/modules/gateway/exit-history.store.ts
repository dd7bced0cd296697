import type { Ctx } from '../../ctx.ts';

export interface CheckOfDay {
  exitId: string;
  isFailed: boolean;
  latencyMs: number | undefined;
  /** The exit has stopped working by this check. */
  isOutage: boolean;
  reason: string | undefined;
  bytesPerSecond: number | undefined;
}

/** Adds checks of different exits to their rows of today; in order, so that two transactions do not wait for each other. */
export async function addChecks(ctx: Ctx, checks: readonly CheckOfDay[]): Promise<void> {
  await ctx.db.query(
    `insert into exit_history as history (exit_id, day, checks, failed, latency_ms_sum, outages, last_failed_at, last_failure, bytes_per_second)
     select exit_id, (now() at time zone 'UTC')::date, 1, is_failed::int, latency_ms, is_outage::int, case when is_failed then now() end, reason, speed
       from unnest($1::uuid[], $2::bool[], $3::int[], $4::bool[], $5::text[], $6::bigint[])
            as added (exit_id, is_failed, latency_ms, is_outage, reason, speed)
      order by exit_id
     on conflict (exit_id, day) do update
       set checks = history.checks + 1, failed = history.failed + excluded.failed,
           latency_ms_sum = history.latency_ms_sum + excluded.latency_ms_sum, outages = history.outages + excluded.outages,
           last_failed_at = coalesce(excluded.last_failed_at, history.last_failed_at),
           last_failure = coalesce(excluded.last_failure, history.last_failure),
           bytes_per_second = greatest(excluded.bytes_per_second, history.bytes_per_second)`,
    [
      checks.map(({ exitId }) => exitId),
      checks.map(({ isFailed }) => isFailed),
      checks.map(({ isFailed, latencyMs = 0 }) => (isFailed ? 0 : latencyMs)),
      checks.map(({ isOutage }) => isOutage),
      checks.map(({ isFailed, reason }) => (isFailed ? (reason ?? 'unknown') : null)),
      checks.map(({ bytesPerSecond }) => bytesPerSecond ?? null),
    ],
  );
}

export interface DayRow {
  day: string;
  checks: number;
  failed: number;
  latencyMs: number | null;
  bytesPerSecond: number | null;
  outages: number;
  lastFailedAt: Date | null;
  lastFailure: string | null;
}

export function listDays(ctx: Ctx, exitId: string, days: number): Promise<DayRow[]> {
  return ctx.db.query(
    `select day::text, checks, failed, round(latency_ms_sum::numeric / nullif(checks - failed, 0))::int as "latencyMs", outages, bytes_per_second::float8 as "bytesPerSecond",
            last_failed_at as "lastFailedAt", last_failure as "lastFailure"
       from exit_history where exit_id = $1 and day > (now() at time zone 'UTC')::date - $2::int order by day desc`,
    [exitId, days],
  );
}

/** @returns the number of deleted rows, at most `limit` */
export async function deleteOldDays(ctx: Ctx, days: number, limit: number): Promise<number> {
  const rows = await ctx.db.query(
    `delete from exit_history where (exit_id, day) in (
       select exit_id, day from exit_history where day <= (now() at time zone 'UTC')::date - $1::int limit $2
     ) returning exit_id`,
    [days, limit],
  );
  return rows.length;
}

/**
 * Notes which gateways have many failing exits, and which no longer have. Only exits count that are checked and have ever worked.
 * @returns those that have
 */
export async function updateFailing(
  ctx: Ctx,
  beginPercent: number,
  endPercent: number,
): Promise<{ id: string; since: Date }[]> {
  return ctx.db.query(
    `with counted as (
       select node_id, 100.0 * count(*) filter (where health = 'UNHEALTHY') / count(*) as percent
         from exit_checks as checks
        where health <> 'UNCHECKED'
          and exists (select from proxy_states where proxy_states.exit_id = checks.exit_id and (not is_retired or connection_id is not null))
        group by node_id
     ), changed as (
       update gateway_nodes as nodes set failing_since = case when failing_since is null then now() end
         from (select id, coalesce(percent, 0) as percent from gateway_nodes left join counted on node_id = id) as node
        where node.id = nodes.id and case when failing_since is null then percent >= $1 else percent < $2 end
       returning nodes.id, failing_since
     )
     select id, failing_since as since from changed where failing_since is not null
     union all
     select id, failing_since from gateway_nodes where failing_since is not null and id not in (select id from changed)`,
    [beginPercent, endPercent],
  );
}
