import type { Ctx } from '../../ctx.ts';

/** Open connections of blocked users whose end was not requested yet. */
export async function findOfBlockedUsers(ctx: Ctx, limit: number): Promise<string[]> {
  const rows = await ctx.db.query<{ id: string }>(
    `select connections.id from readable_users as users join connections on connections.user_id = users.id
      where users.status = 'BLOCKED' and connections.status = 'WORK' and ending_at is null limit $1`,
    [limit],
  );
  return rows.map((row) => row.id);
}

/** Grace period after an outage: a gateway with very many connections needs several requests to report them. */
const FIRST_REPORTS_MS = 15_000;

/**
 * Open connections with less traffic than the threshold within the idle time-out. Reads all open connections. A gateway may have
 * traffic that it has not reported yet, so each run that may serve the connection must have reported after the idle time-out,
 * or have been silent for that long. A run is dead if its node has started a newer one.
 * @param ids limits the search to these connections
 */
export async function findIdle(
  ctx: Ctx,
  idleTimeoutMs: number,
  limit: number,
  ids: readonly string[] | null = null,
): Promise<string[]> {
  const rows = await ctx.db.query<{ id: string }>(
    `select id from connections
      where status = 'WORK' and ending_at is null and (idle_marks[1]).at < now() - $1 * interval '1 millisecond'
        and ($3::uuid[] is null or id = any($3))
        and coalesce(api_available_since() < now() - $4 * interval '1 millisecond', true)
        and not exists (
          select from connection_runs as part join readable_gateway_runs as run on run.id = part.run_id
           where part.connection_id = connections.id and (is_open or is_lost)
             and run.seen_at < (idle_marks[1]).at + $1 * interval '1 millisecond'
             and silence_since(run.seen_at) < $1 * interval '1 millisecond'
             and not exists (select from readable_gateway_runs as newer
                              where newer.node_id = run.node_id and newer.started_at > run.started_at))
      order by (idle_marks[1]).at limit $2`,
    [idleTimeoutMs, limit, ids, FIRST_REPORTS_MS],
  );
  return rows.map((row) => row.id);
}

/** Ending connections for which the last report of a gateway timed out. */
export async function findTimedOutEndings(ctx: Ctx, afterMs: number, limit: number): Promise<string[]> {
  const rows = await ctx.db.query<{ id: string }>(
    `select id from connections
      where status = 'WORK' and ending_at < now() - $1 * interval '1 millisecond' order by ending_at limit $2`,
    [afterMs, limit],
  );
  return rows.map((row) => row.id);
}
