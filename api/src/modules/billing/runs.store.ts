/** The counters of each gateway run on each connection. Writes need the lock of the payer's account. */
import type { EndReason } from '@cellhop/contract/connections';
import type { Ctx } from '../../ctx.ts';

/** A gateway reports twice a second; after this much silence it is considered dead. */
export const GATEWAY_SILENCE_LIMIT_MS = 5000;

/**
 * SQL: the process of the run in `gateway_runs` has exited without its last totals. A newer process of a node is not enough: the older one
 * relays until it has drained, and several may share a node. A live one keeps its grants, so it has to be silent as well, and the newer one
 * to have reported after it: one that failed at its start replaces none.
 */
export const HAS_EXITED = `(
  silence_since(gateway_runs.seen_at) > ${GATEWAY_SILENCE_LIMIT_MS} * interval '1 millisecond'
  and exists (select from readable_gateway_runs as newer
               where newer.node_id = gateway_runs.node_id and newer.started_at > gateway_runs.started_at
                 and newer.seen_at > gateway_runs.seen_at))`;

/** Milliseconds since the last report of each run that has the connection open, not counting time without an API process. */
export async function findSilences(ctx: Ctx, connectionId: string): Promise<number[]> {
  const rows = await ctx.db.query<{ silenceMs: number }>(
    `select (extract(epoch from silence_since(seen_at)) * 1000)::float8 as "silenceMs"
       from connection_runs join readable_gateway_runs as gateway_runs on gateway_runs.id = run_id
      where connection_id = $1 and is_open`,
    [connectionId],
  );
  return rows.map((row) => row.silenceMs);
}

/** Earlier runs of the same node that have the connection open although their process has exited. */
export async function findExitedRuns(ctx: Ctx, connectionId: string, runId: string): Promise<string[]> {
  const rows = await ctx.db.query<{ runId: string }>(
    `select run_id as "runId"
       from connection_runs join readable_gateway_runs as gateway_runs on gateway_runs.id = run_id
      where connection_id = $1 and is_open and run_id <> $2
        and node_id = (select node_id from readable_gateway_runs where id = $2) and ${HAS_EXITED}`,
    [connectionId, runId],
  );
  return rows.map((row) => row.runId);
}

/** Open connections, and those that a gateway has reported about within a minute. */
export async function listCarried(ctx: Ctx): Promise<{ openCount: number; carriedIds: string[] }> {
  const [row] = await ctx.db.query<{ openCount: number; carriedIds: string[] }>(
    `select (select count(*)::int from connections where status = 'WORK') as "openCount",
            array(select distinct connection_id::text
                    from connection_runs join readable_gateway_runs as gateway_runs on gateway_runs.id = run_id
                   where is_open and seen_at > now() - interval '1 minute' order by 1) as "carriedIds"`,
  );
  return row!;
}

export interface Unchanged {
  connectionId: string;
  grantedBytes: bigint;
  accessRevision: number;
}

export interface RunReport {
  connectionId: string;
  usedBytes: bigint;
  wantedBytes: bigint;
}

/**
 * Finds the reports of a run that change nothing: the total is known, the wanted bytes are granted, and the connection is not
 * ending. Reads without a lock.
 */
export function findUnchanged(ctx: Ctx, runId: string, reports: readonly RunReport[]): Promise<Unchanged[]> {
  return ctx.db.query(
    `select connection_id as "connectionId", run.granted_bytes as "grantedBytes", access_revision as "accessRevision"
       from unnest($2::uuid[], $3::bigint[], $4::bigint[]) as report (id, used_bytes, wanted_bytes)
       join connection_runs as run on run.connection_id = report.id and run.run_id = $1
       join connections on connections.id = report.id and status = 'WORK' and ending_at is null
      where is_open and not is_recalled
        and report.used_bytes <= run.used_bytes and report.used_bytes + wanted_bytes <= run.granted_bytes`,
    [
      runId,
      reports.map((report) => report.connectionId),
      reports.map((report) => report.usedBytes),
      reports.map((report) => report.wantedBytes),
    ],
  );
}

/**
 * Adds the run to these connections with zero counters, unless it is there already. A run that opens a connection again is no longer
 * recalled.
 */
export async function insertRuns(ctx: Ctx, runId: string, connectionIds: readonly string[]): Promise<void> {
  await ctx.db.query(
    `insert into connection_runs (run_id, connection_id, is_open)
     select $1, id, false from connections where id = any($2::uuid[]) and status = 'WORK'
     on conflict (connection_id, run_id)
       do update set is_recalled = false where connection_runs.is_recalled and not connection_runs.is_open`,
    [runId, connectionIds],
  );
}

/** Connections that the run carries although it never opened them in this database, of exits of its node. */
export async function insertCarried(ctx: Ctx, runId: string, connectionIds: readonly string[]): Promise<void> {
  await ctx.db.query(
    `insert into connection_runs (run_id, connection_id, is_open)
     select $1, connections.id, false
       from connections
       join readable_exits as exits on exits.id = connections.exit_id
       join readable_gateway_runs as gateway_runs on gateway_runs.id = $1 and gateway_runs.node_id = exits.node_id
      where connections.id = any($2::uuid[]) and status = 'WORK' and ending_at is null
     on conflict do nothing`,
    [runId, connectionIds],
  );
}

export interface SilentRun {
  runId: string;
  connectionIds: string[];
}

/** Runs with open connections whose process has exited, or without a report for longer than the lease, while the API was available. */
export function findSilentRuns(ctx: Ctx, leaseMs: number, limit: number): Promise<SilentRun[]> {
  return ctx.db.query(
    `select run_id as "runId", array_agg(connection_id::text) as "connectionIds"
       from (select run_id, connection_id
               from connection_runs join readable_gateway_runs as gateway_runs on gateway_runs.id = run_id
              where is_open and seen_at < now() - ${GATEWAY_SILENCE_LIMIT_MS} * interval '1 millisecond'
                and (silence_since(seen_at) > $1 * interval '1 millisecond' or ${HAS_EXITED}) limit $2) as silent
      group by run_id`,
    [leaseMs, limit],
  );
}

/** The process of a silent run may still serve these connections: missing reports do not make them idle, and the next one reopens the run. */
export async function markLost(ctx: Ctx, runId: string, connectionIds: readonly string[]): Promise<void> {
  await ctx.db.query(
    'update connection_runs set is_lost = true where run_id = $1 and connection_id = any($2::uuid[])',
    [runId, connectionIds],
  );
}

/** The run has reported, or is closed for good. */
export async function markFound(ctx: Ctx, runId: string, connectionIds: readonly string[]): Promise<void> {
  await ctx.db.query(
    'update connection_runs set is_lost = false where run_id = $1 and connection_id = any($2::uuid[])',
    [runId, connectionIds],
  );
}

export interface EndOfRun {
  runId: string;
  connectionId: string;
  reason: EndReason | 'RECALLED';
}

const REASON = `coalesce(end_reason::text, ending_reason::text, case when is_open and is_recalled then 'RECALLED' end)`;

/** Connections that the run has open and that are ending or have ended, or whose grants were recalled. */
export function findEnding(ctx: Ctx, runId: string): Promise<EndOfRun[]> {
  return ctx.db.query(
    `select run_id as "runId", connection_id as "connectionId", ${REASON} as reason
       from connection_runs join connections on connections.id = connection_id
      where run_id = $1 and is_open and (connections.status <> 'WORK' or ending_at is not null or is_recalled)`,
    [runId],
  );
}

/** Finds connections that are ending or have ended, or whose grants were recalled, for each run that has opened them. */
export function findEndsOfRuns(
  ctx: Ctx,
  connectionIds: readonly string[],
  runIds: readonly string[],
): Promise<EndOfRun[]> {
  return ctx.db.query(
    `select run_id as "runId", connection_id as "connectionId", ${REASON} as reason
       from connection_runs join connections on connections.id = connection_id
      where connection_id = any($1::uuid[]) and run_id = any($2::uuid[]) and ${REASON} is not null`,
    [connectionIds, runIds],
  );
}

/** @returns the reasons of connections that are ending or have ended, by id */
export async function findEndReasons(ctx: Ctx, connectionIds: readonly string[]): Promise<Map<string, EndReason>> {
  const rows = await ctx.db.query<{ id: string; reason: EndReason }>(
    `select id, coalesce(end_reason::text, ending_reason::text) as reason from connections
      where id = any($1::uuid[]) and (end_reason is not null or ending_reason is not null)`,
    [connectionIds],
  );
  return new Map(rows.map(({ id, reason }) => [id, reason]));
}

/** Makes open runs end their part of the connection, which releases their unused grants. */
export async function recallGrants(ctx: Ctx, connectionId: string): Promise<void> {
  await ctx.db.query('update connection_runs set is_recalled = true where connection_id = $1 and is_open', [
    connectionId,
  ]);
}

/** Whether a run has not yet ended its part of a connection whose grants were recalled. */
export async function hasRecalledGrants(ctx: Ctx, connectionId: string): Promise<boolean> {
  const rows = await ctx.db.query(
    'select 1 from connection_runs where connection_id = $1 and is_open and is_recalled limit 1',
    [connectionId],
  );
  return rows.length > 0;
}

export interface ConnectionOfRun {
  runId: string;
  connectionId: string;
}

/** Which of these runs have opened which of these connections. */
export function findConnectionsOfRuns(
  ctx: Ctx,
  connectionIds: readonly string[],
  runIds: readonly string[],
): Promise<ConnectionOfRun[]> {
  return ctx.db.query(
    `select run_id as "runId", connection_id as "connectionId" from connection_runs
      where connection_id = any($1::uuid[]) and run_id = any($2::uuid[])`,
    [connectionIds, runIds],
  );
}
