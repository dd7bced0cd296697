/** What each gateway run counted on each connection. Written under the lock of the connection's payer alone. */
import type { Ctx } from '../../ctx.ts';
import type { Run } from './charging.ts';

/** Milliseconds since each run that has the connection open was heard of. */
export async function findSilences(ctx: Ctx, connectionId: string): Promise<number[]> {
  const rows = await ctx.db.query<{ silenceMs: number }>(
    `select (extract(epoch from clock_timestamp() - seen_at) * 1000)::float8 as "silenceMs"
       from connection_runs join gateway_runs on gateway_runs.id = run_id
      where connection_id = $1 and is_open`,
    [connectionId],
  );
  return rows.map((row) => row.silenceMs);
}

export interface RunState extends Run {
  connectionId: string;
  isEnding: boolean;
}

/** What a run is known to have, without locks: enough to tell which reports change nothing. */
export function readRuns(ctx: Ctx, runId: string, connectionIds: readonly string[]): Promise<RunState[]> {
  return ctx.db.query(
    `select connection_id as "connectionId", connection_runs.used_bytes as "usedBytes",
            connection_runs.uploaded_bytes as "uploadedBytes", connection_runs.granted_bytes as "grantedBytes", is_open as "isOpen",
            (ending_at is not null or status <> 'WORK') as "isEnding"
       from connection_runs join connections on connections.id = connection_id
      where run_id = $1 and connection_id = any($2::uuid[])`,
    [runId, connectionIds],
  );
}

export interface RunChange extends Run {
  connectionId: string;
}

export async function saveRuns(ctx: Ctx, runId: string, changes: readonly RunChange[]): Promise<void> {
  await ctx.db.query(
    `insert into connection_runs (run_id, connection_id, used_bytes, uploaded_bytes, granted_bytes, is_open)
     select $1, * from unnest($2::uuid[], $3::bigint[], $4::bigint[], $5::bigint[], $6::boolean[])
     on conflict (connection_id, run_id)
       do update set used_bytes = excluded.used_bytes, uploaded_bytes = excluded.uploaded_bytes,
                     granted_bytes = excluded.granted_bytes, is_open = excluded.is_open`,
    [
      runId,
      changes.map((change) => change.connectionId),
      changes.map((change) => change.usedBytes),
      changes.map((change) => change.uploadedBytes),
      changes.map((change) => change.grantedBytes),
      changes.map((change) => change.isOpen),
    ],
  );
}

export interface SilentRun {
  runId: string;
  connectionIds: string[];
}

/** Runs with open connections that were not heard of for longer than the lease. */
export function findSilentRuns(ctx: Ctx, leaseMs: number, limit: number): Promise<SilentRun[]> {
  return ctx.db.query(
    `select run_id as "runId", array_agg(connection_id::text) as "connectionIds"
       from (select run_id, connection_id from connection_runs join gateway_runs on gateway_runs.id = run_id
              where is_open and seen_at < now() - $1 * interval '1 millisecond' limit $2) as silent
      group by run_id`,
    [leaseMs, limit],
  );
}
