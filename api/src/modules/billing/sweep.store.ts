import type { Ctx } from '../../ctx.ts';

/** Open connections of blocked users whose end nobody has asked for. */
export async function findOfBlockedUsers(ctx: Ctx, limit: number): Promise<string[]> {
  const rows = await ctx.db.query<{ id: string }>(
    `select connections.id from readable_users as users join connections on connections.user_id = users.id
      where users.status = 'BLOCKED' and connections.status = 'WORK' and ending_at is null limit $1`,
    [limit],
  );
  return rows.map((row) => row.id);
}

/** After an outage: a gateway with very many connections reports them in several requests. */
const FIRST_REPORTS_MS = 15_000;

/**
 * Open connections with less traffic than the threshold for too long. Reads all open ones. What a gateway may have carried
 * and not reported yet is waited for: each run that may serve the connection must have reported after the idle time was
 * over, or have been silent for as long itself. A node's newer run tells that the older one is dead.
 * @param ids only these, if given
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
        and coalesce(heard_since() < now() - $4 * interval '1 millisecond', true)
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

/** Ends that a gateway was asked to report for, and did not. */
export async function findOverdueEndings(ctx: Ctx, afterMs: number, limit: number): Promise<string[]> {
  const rows = await ctx.db.query<{ id: string }>(
    `select id from connections
      where status = 'WORK' and ending_at < now() - $1 * interval '1 millisecond' order by ending_at limit $2`,
    [afterMs, limit],
  );
  return rows.map((row) => row.id);
}
