import type { ConnectionStatus, EndReason, RefundStatus } from '@cellhop/contract/connections';
import type { Ctx } from '../../ctx.ts';
import { HAS_EXITED } from './runs.store.ts';

/** Reasons that an end can be requested for; NO_MONEY only results from a report. */
export type RequestedEnd = Exclude<EndReason, 'NO_MONEY'>;

export interface OpenConnection {
  id: string;
  userId: string;
  payerAccountId: bigint;
  escrowAccountId: bigint;
  priceMicros: bigint;
  status: ConnectionStatus;
  usedBytes: bigint;
  uploadedBytes: bigint;
  grantedBytes: bigint;
  chargedMegabytes: bigint;
  capMegabytes: bigint | null;
  endingReason: RequestedEnd | null;
  /** The user ended it without a refund. */
  isRefundWaived: boolean;
  /** The user has asked for another proxy in its place. */
  isReplaced: boolean;
  /** What staff have refunded. */
  staffRefundedMicros: bigint;
  /** Since the purchase, or that of the first connection which this one replaces, until the end was requested, or until now. */
  ageMs: number;
  /** Gateway runs that may still report. */
  openRuns: number;
}

/** Call with the payer's account locked, which guards these rows. */
export function findForEnd(ctx: Ctx, ids: readonly string[]): Promise<OpenConnection[]> {
  return ctx.db.query(
    `select id, user_id as "userId", payer_account_id as "payerAccountId", escrow_account_id as "escrowAccountId",
            price_micros as "priceMicros", status, used_bytes as "usedBytes", uploaded_bytes as "uploadedBytes",
            granted_bytes as "grantedBytes", charged_megabytes as "chargedMegabytes", cap_megabytes as "capMegabytes",
            ending_reason as "endingReason", is_refund_waived as "isRefundWaived",
            staff_refunded_micros as "staffRefundedMicros",
            (extract(epoch from least(ending_at, clock_timestamp()) - coalesce(first_bought_at, created_at)) * 1000)::float8 as "ageMs",
            exists (select from replacements where connection_id = connections.id and finished_at is null) as "isReplaced",
            (select count(*)::int from connection_runs where connection_id = connections.id and is_open) as "openRuns"
       from connections where id = any($1::uuid[]) order by id`,
    [ids],
  );
}

/** @returns the connections that have not ended */
export async function filterOpen(ctx: Ctx, ids: readonly string[]): Promise<string[]> {
  const rows = await ctx.db.query<{ id: string }>(
    `select id from connections where id = any($1::uuid[]) and status = 'WORK'`,
    [ids],
  );
  return rows.map((row) => row.id);
}

export interface End {
  id: string;
  status: Exclude<ConnectionStatus, 'WORK'>;
  reason: EndReason;
  refundStatus: RefundStatus;
  chargedMegabytes: bigint;
  grantedBytes: bigint;
}

/** Closes the connection (api/sql/end_connection.sql). @returns its owner and IP address */
export async function saveEnd(ctx: Ctx, end: End): Promise<{ userId: string; ip: string }> {
  const [ended] = await ctx.db.query<{ userId: string; ip: string }>(
    'select user_id as "userId", ip from end_connection($1, $2, $3, $4, $5, $6)',
    [end.id, end.status, end.reason, end.refundStatus, end.chargedMegabytes, end.grantedBytes],
  );
  publishEnding(ctx, [end.id]);
  return ended!;
}

export async function saveEndings(ctx: Ctx, ids: readonly string[], reason: RequestedEnd): Promise<void> {
  await ctx.db.query('update connections set ending_reason = $2, ending_at = now() where id = any($1::uuid[])', [
    ids,
    reason,
  ]);
  publishEnding(ctx, ids);
}

export async function saveBoughtCap(ctx: Ctx, id: string, capMegabytes: bigint): Promise<void> {
  await ctx.db.query('update connections set bought_cap_megabytes = $2 where id = $1', [id, capMegabytes]);
}

/** Null: the connection was bought without a cap. */
export async function findBoughtCap(ctx: Ctx, id: string): Promise<bigint | null> {
  const [row] = await ctx.db.query<{ capMegabytes: bigint | null }>(
    'select bought_cap_megabytes as "capMegabytes" from connections where id = $1',
    [id],
  );
  return row?.capMegabytes ?? null;
}

export async function saveCap(ctx: Ctx, id: string, capMegabytes: bigint | null): Promise<void> {
  await ctx.db.query('update connections set cap_megabytes = $2 where id = $1', [id, capMegabytes]);
}

/** Notifies the gateways that serve these connections, so that they close the tunnels. */
export function publishEnding(ctx: Ctx, ids: readonly string[]): void {
  for (const connectionId of ids) ctx.changed({ connectionId }, 'ending');
}

export async function waiveRefund(ctx: Ctx, id: string): Promise<void> {
  await ctx.db.query('update connections set is_refund_waived = true where id = $1', [id]);
}

/**
 * Call with the payer's account locked. Counts connections without traffic that the user ended or asked to end in the last
 * hour, with a refund, and all that were to be replaced. Rows older than the refund window plus that hour are not read.
 * @returns the seconds until another one may be returned; undefined if it may be now
 */
export async function secondsUntilUnusedReturn(
  ctx: Ctx,
  userId: string,
  returnsPerHour: number,
  refundWindowMs: number,
): Promise<number | undefined> {
  const [row] = await ctx.db.query<{ seconds: number }>(
    `select greatest(1, ceil(extract(epoch from returned_at + interval '1 hour' - now())))::int as seconds
       from (select coalesce(ending_at, ended_at) as returned_at
               from connections
              where user_id = $1 and created_at > now() - interval '1 hour' - $3 * interval '1 millisecond'
                and used_bytes = 0 and not is_refund_waived
                and (end_reason = 'USER' and refund_status = 'REFUNDED' or status = 'WORK' and ending_reason = 'USER')
                and not exists (select from replacements where connection_id = connections.id)
              union all
             select requested_at from replacements join connections on connections.id = connection_id
              where requested_at > now() - interval '1 hour' and user_id = $1
            ) as unused_return
      where returned_at > now() - interval '1 hour'
      order by returned_at desc offset $2::int - 1 limit 1`,
    [userId, returnsPerHour, refundWindowMs],
  );
  return row?.seconds;
}

/** @returns the ids of all open connections of the user */
export async function saveEndingsOfUser(ctx: Ctx, userId: string, reason: RequestedEnd): Promise<string[]> {
  const rows = await ctx.db.query<{ id: string }>(
    `update connections set ending_reason = coalesce(ending_reason, $2), ending_at = coalesce(ending_at, now())
      where user_id = $1 and status = 'WORK' returning id`,
    [userId, reason],
  );
  const ids = rows.map((row) => row.id);
  publishEnding(ctx, ids);
  return ids;
}

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
 * or have been silent for that long. A run whose process has exited has none.
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
          select from connection_runs as part join readable_gateway_runs as gateway_runs on gateway_runs.id = part.run_id
           where part.connection_id = connections.id and (is_open or is_lost)
             and seen_at < (idle_marks[1]).at + $1 * interval '1 millisecond'
             and silence_since(seen_at) < $1 * interval '1 millisecond' and not ${HAS_EXITED})
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

/** Call with the payer's account locked. */
export async function addStaffRefund(ctx: Ctx, id: string, micros: bigint): Promise<void> {
  await ctx.db.query('update connections set staff_refunded_micros = staff_refunded_micros + $2 where id = $1', [
    id,
    micros,
  ]);
}
