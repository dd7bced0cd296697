import type { ConnectionStatus, EndReason, RefundStatus } from '@cellhop/contract/connections';
import pg from 'pg';
import type { Ctx } from '../../ctx.ts';
import { toOffset, type PageQuery } from '../../http/paging.ts';

/** What an end may be asked for; NO_MONEY is found out, never asked for. */
export type RequestedEnd = Exclude<EndReason, 'NO_MONEY'>;

export interface ConnectionRow {
  id: string;
  userId: string;
  userEmail: string;
  priceMicros: bigint;
  chargedMegabytes: bigint;
  usedBytes: bigint;
  status: ConnectionStatus;
  refundStatus: RefundStatus;
  endReason: EndReason | null;
  username: string;
  passwordEncrypted: Buffer;
  dnsPort: number | null;
  createdAt: Date;
  syncedAt: Date | null;
  endedAt: Date | null;
  ip: string;
  countryCode: string;
  region: string;
  city: string;
  zip: string;
  isp: string;
  connectionType: string;
}

const SELECT_ROW = `
  select connections.id, user_id as "userId", email as "userEmail", connections.price_micros as "priceMicros",
         charged_megabytes as "chargedMegabytes", used_bytes as "usedBytes", connections.status,
         refund_status as "refundStatus", end_reason as "endReason", username,
         password_encrypted as "passwordEncrypted", dns_port as "dnsPort", connections.created_at as "createdAt",
         synced_at as "syncedAt", ended_at as "endedAt", host(ip) as ip, country_code as "countryCode", region, city,
         zip, isp, connection_type as "connectionType"
    from connections
    join proxies on proxies.id = proxy_id
    join users on users.id = user_id`;

export async function findConnection(ctx: Ctx, id: string): Promise<ConnectionRow | undefined> {
  const [row] = await ctx.db.query<ConnectionRow>(`${SELECT_ROW} where connections.id = $1`, [id]);
  return row;
}

/** @param userId null: of all users */
export function listConnections(ctx: Ctx, userId: string | null, page: PageQuery): Promise<ConnectionRow[]> {
  const [condition, values] = userId === null ? ['', []] : ['where user_id = $3', [userId]];
  return ctx.db.query(
    `${SELECT_ROW} ${condition} order by connections.created_at desc, connections.id limit $1 offset $2`,
    [page.size, toOffset(page), ...values],
  );
}

export async function countConnections(ctx: Ctx, userId: string | null): Promise<number> {
  const [condition, values] = userId === null ? ['', []] : ['where user_id = $1', [userId]];
  const [row] = await ctx.db.query<{ count: number }>(
    `select count(*)::int as count from connections ${condition}`,
    values,
  );
  return row!.count;
}

export interface Purchase {
  proxyId: string;
  priceMicros: bigint;
  userId: string;
  payerAccountId: bigint;
  idempotencyKey: string | null;
  /** Of the new connection. */
  id: string;
  username: string;
  passwordEncrypted: Buffer;
  passwordHash: Buffer;
  /** Of the buyer. */
  openConnectionsMax: number;
  purchasesPerHour: number;
}

/** What was bought, as the catalogue shows it. */
type SoldProxy = Pick<
  ConnectionRow,
  'priceMicros' | 'ip' | 'countryCode' | 'region' | 'city' | 'zip' | 'isp' | 'connectionType'
>;

export type PurchaseOutcome =
  | ({ outcome: 'BOUGHT'; balanceMicros: bigint; createdAt: Date; dnsPort: number | null } & SoldProxy)
  | { outcome: 'REPLAYED'; connectionId: string }
  | { outcome: 'ACCOUNT_BLOCKED' | 'IDEMPOTENCY_KEY_REUSED' | 'PROXY_NOT_FOUND' | 'PRICE_CHANGED' | 'SMALL_BALANCE' }
  | { outcome: 'TOO_MANY_CONNECTIONS' | 'RATE_LIMITED'; retryAfterSeconds: number };

/** Of the trigger that refuses a connection of a user who is not active (migration 0021). */
const BLOCKED_BUYER_STATE = 'CHBLK';

/** The whole purchase in one round trip; its rules are in the function (migration 0029). */
export async function buyProxy(ctx: Ctx, purchase: Purchase): Promise<PurchaseOutcome> {
  return callBuyProxy(ctx, purchase).catch((error: unknown) => {
    if (error instanceof pg.DatabaseError && error.code === BLOCKED_BUYER_STATE) return { outcome: 'ACCOUNT_BLOCKED' };
    throw error;
  });
}

async function callBuyProxy(ctx: Ctx, purchase: Purchase): Promise<PurchaseOutcome> {
  const [row] = await ctx.db.query<PurchaseOutcome>(
    `select outcome, connection_id as "connectionId", created_at as "createdAt", dns_port as "dnsPort",
            balance_micros as "balanceMicros", (proxy).price_micros as "priceMicros", host((proxy).ip) as ip,
            (proxy).country_code as "countryCode", (proxy).region, (proxy).city, (proxy).zip, (proxy).isp,
            (proxy).connection_type as "connectionType", retry_after_seconds as "retryAfterSeconds"
       from buy_proxy($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
    [
      purchase.proxyId,
      purchase.priceMicros,
      purchase.userId,
      purchase.payerAccountId,
      purchase.idempotencyKey,
      purchase.id,
      purchase.username,
      purchase.passwordEncrypted,
      purchase.passwordHash,
      purchase.openConnectionsMax,
      purchase.purchasesPerHour,
    ],
  );
  return row!;
}

/** An open connection and the part that one gateway run has in it. */
export interface MeteredConnection {
  id: string;
  payerAccountId: bigint;
  escrowAccountId: bigint;
  priceMicros: bigint;
  usedBytes: bigint;
  uploadedBytes: bigint;
  grantedBytes: bigint;
  chargedMegabytes: bigint;
  endingReason: RequestedEnd | null;
  /** Null as long as the run has never had the connection open; then the others are too. */
  isRunOpen: boolean | null;
  runUsedBytes: bigint;
  runUploadedBytes: bigint;
  runGrantedBytes: bigint;
  runWrittenOffBytes: bigint;
}

/** Read after the payers' accounts have been locked: nobody else changes these rows then. Ended ones are left out. */
export function findMetered(ctx: Ctx, runId: string, ids: readonly string[]): Promise<MeteredConnection[]> {
  return ctx.db.query(
    `select id, payer_account_id as "payerAccountId", escrow_account_id as "escrowAccountId",
            price_micros as "priceMicros", connections.used_bytes as "usedBytes",
            connections.uploaded_bytes as "uploadedBytes", connections.granted_bytes as "grantedBytes",
            charged_megabytes as "chargedMegabytes", ending_reason as "endingReason", run.is_open as "isRunOpen",
            run.used_bytes as "runUsedBytes", run.uploaded_bytes as "runUploadedBytes",
            run.granted_bytes as "runGrantedBytes", run.written_off_bytes as "runWrittenOffBytes"
       from connections left join connection_runs as run on run.connection_id = id and run.run_id = $2
      where id = any($1::uuid[]) and status = 'WORK' order by id`,
    [ids, runId],
  );
}

export interface OpenConnection {
  id: string;
  userId: string;
  proxyId: string;
  payerAccountId: bigint;
  escrowAccountId: bigint;
  priceMicros: bigint;
  status: ConnectionStatus;
  usedBytes: bigint;
  uploadedBytes: bigint;
  grantedBytes: bigint;
  chargedMegabytes: bigint;
  endingReason: RequestedEnd | null;
  /** The user ended it without asking for what was not used. */
  isRefundWaived: boolean;
  /** When the end was asked for; now, if it has not been. */
  ageMs: number;
  /** Gateway runs that may still report. */
  openRuns: number;
}

/** Read after the payer's account has been locked: nobody else changes these rows then. */
export function findForEnd(ctx: Ctx, ids: readonly string[]): Promise<OpenConnection[]> {
  return ctx.db.query(
    `select id, user_id as "userId", proxy_id as "proxyId", payer_account_id as "payerAccountId", escrow_account_id as "escrowAccountId",
            price_micros as "priceMicros", status, used_bytes as "usedBytes", uploaded_bytes as "uploadedBytes",
            granted_bytes as "grantedBytes", charged_megabytes as "chargedMegabytes", ending_reason as "endingReason",
            is_refund_waived as "isRefundWaived",
            (extract(epoch from least(ending_at, clock_timestamp()) - created_at) * 1000)::float8 as "ageMs",
            (select count(*)::int from connection_runs where connection_id = connections.id and is_open) as "openRuns"
       from connections where id = any($1::uuid[]) order by id`,
    [ids],
  );
}

export async function findPayers(ctx: Ctx, ids: readonly string[]): Promise<bigint[]> {
  const rows = await ctx.db.query<{ accountId: bigint }>(
    'select distinct payer_account_id as "accountId" from connections where id = any($1::uuid[])',
    [ids],
  );
  return rows.map((row) => row.accountId);
}

export interface End {
  id: string;
  status: Exclude<ConnectionStatus, 'WORK'>;
  reason: EndReason;
  refundStatus: RefundStatus;
  chargedMegabytes: bigint;
  grantedBytes: bigint;
}

/** Closes the connection and its runs, and frees its DNS port. @returns whose it was */
export async function saveEnd(ctx: Ctx, end: End): Promise<{ userId: string; ip: string }> {
  const [ended] = await ctx.db.query<{ userId: string; ip: string }>(
    `update connections
        set status = $2, end_reason = $3, refund_status = $4, charged_megabytes = $5, granted_bytes = $6,
            ended_at = now()
      where id = $1
      returning user_id as "userId", (select host(ip) from proxies where proxies.id = proxy_id) as ip`,
    [end.id, end.status, end.reason, end.refundStatus, end.chargedMegabytes, end.grantedBytes],
  );
  await ctx.db.query('update connection_runs set is_open = false where connection_id = $1 and is_open', [end.id]);
  await ctx.db.query('update dns_ports set connection_id = null where connection_id = $1', [end.id]);
  tellEnding(ctx, [end.id]);
  return ended!;
}

export async function saveEndings(ctx: Ctx, ids: readonly string[], reason: RequestedEnd): Promise<void> {
  await ctx.db.query('update connections set ending_reason = $2, ending_at = now() where id = any($1::uuid[])', [
    ids,
    reason,
  ]);
  tellEnding(ctx, ids);
}

/** Gateways that have them open cut their tunnels. */
function tellEnding(ctx: Ctx, ids: readonly string[]): void {
  for (const connectionId of ids) ctx.changed({ connectionId }, 'ending');
}

export async function waiveRefund(ctx: Ctx, id: string): Promise<void> {
  await ctx.db.query('update connections set is_refund_waived = true where id = $1', [id]);
}

/**
 * Read after the payer's account has been locked. Counted are connections without traffic that the user ended, or asked to
 * end, in the last hour and that were refunded or will be. Only young ones are: no row from before the window is read.
 * @returns the seconds until another may be returned; undefined if one may be now
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
            ) as unused_return
      where returned_at > now() - interval '1 hour'
      order by returned_at desc offset $2::int - 1 limit 1`,
    [userId, returnsPerHour, refundWindowMs],
  );
  return row?.seconds;
}

/** @returns all open connections of the user */
export async function saveEndingsOfUser(ctx: Ctx, userId: string, reason: RequestedEnd): Promise<string[]> {
  const rows = await ctx.db.query<{ id: string }>(
    `update connections set ending_reason = coalesce(ending_reason, $2), ending_at = coalesce(ending_at, now())
      where user_id = $1 and status = 'WORK' returning id`,
    [userId, reason],
  );
  const ids = rows.map((row) => row.id);
  tellEnding(ctx, ids);
  return ids;
}

/** Open connections of blocked users whose end nobody has asked for. */
export async function findOfBlockedUsers(ctx: Ctx, limit: number): Promise<string[]> {
  const rows = await ctx.db.query<{ id: string }>(
    `select connections.id from users join connections on connections.user_id = users.id
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
          select from connection_runs as part join gateway_runs as run on run.id = part.run_id
           where part.connection_id = connections.id and (is_open or is_lost)
             and run.seen_at < (idle_marks[1]).at + $1 * interval '1 millisecond'
             and silence_since(run.seen_at) < $1 * interval '1 millisecond'
             and not exists (select from gateway_runs as newer
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
