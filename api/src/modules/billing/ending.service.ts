/**
 * Ending a connection. A gateway that serves it may have unreported bytes, and the refund depends on them. So the end is
 * requested first (`ending_reason`). The gateway is notified at once, closes the tunnels and sends its last report; then the
 * connection is billed. If the gateway does not respond in time, the bill uses the bytes reported so far.
 */
import { AppError } from '@cellhop/contract/errors';
import type { EndReason } from '@cellhop/contract/connections';
import { megabytePrice, toDollars } from '@cellhop/contract/units';
import { setTimeout as pause } from 'node:timers/promises';
import type { Ctx } from '../../ctx.ts';
import * as ledger from '../ledger/ledger.service.ts';
import { notify } from '../notifications/notifications.service.ts';
import { finalBill, type FinalBill, heldMicros, type Meter, startedMicros } from './charging.ts';
import { isMailedReason, isRefundable, statusByEndReason } from './end-reasons.ts';
import { buyReplacement } from './replacement-purchase.ts';
import { insertEnd } from './alerts.store.ts';
import * as store from './ending.store.ts';
import { findPayers } from './usage-reports.store.ts';
import { findSilences, GATEWAY_SILENCE_LIMIT_MS } from './runs.store.ts';

export { findConnectionsOfRuns, findEnding, findEndsOfRuns, listCarried } from './runs.store.ts';

const LAST_REPORT_LIMIT_MS = 5000;
const LAST_REPORT_POLL_MS = 40;

interface EndOptions {
  /** Unused megabytes are not refunded. */
  isRefundWaived?: boolean;
  /** Runs in the transaction that requests the end, such as an entry in the audit log. */
  alsoIn?: (ctx: Ctx) => Promise<void>;
}

/**
 * Ends a connection and waits until it is billed.
 * @throws AppError NOT_CONNECTED if it has already ended; RATE_LIMITED if the user returned too many unused connections
 */
export async function endConnection(
  ctx: Ctx,
  id: string,
  reason: store.RequestedEnd,
  options: EndOptions = {},
): Promise<void> {
  if ((await requestEnd(ctx, id, reason, options)) === 'ending') await awaitLastReports(ctx, [id]);
}

/**
 * Ends several connections and waits until they are billed. All ends are requested first, so that there is one wait for the gateways.
 * @param alsoIn as in `EndOptions`, for each connection
 * @returns those that had not ended before
 */
export async function endConnections(
  ctx: Ctx,
  ids: readonly string[],
  reason: store.RequestedEnd,
  alsoIn: (ctx: Ctx, id: string) => Promise<void>,
): Promise<Set<string>> {
  const ended = new Set<string>();
  const ending: string[] = [];
  for (const id of ids)
    try {
      const state = await requestEnd(ctx, id, reason, { alsoIn: (ctx) => alsoIn(ctx, id) });
      ended.add(id);
      if (state === 'ending') ending.push(id);
    } catch (error) {
      // It has ended meanwhile.
      if (!(error instanceof AppError && error.code === 'NOT_CONNECTED')) throw error;
    }
  await awaitLastReports(ctx, ending);
  return ended;
}

/** Waits until connections whose ends were requested are billed. */
export async function finishEnds(ctx: Ctx, ids: readonly string[]): Promise<void> {
  for (const id of ids) await closeIfNoLiveRun(ctx, id);
  await awaitLastReports(ctx, ids);
}

async function awaitLastReports(ctx: Ctx, ids: readonly string[]): Promise<void> {
  const deadline = performance.now() + LAST_REPORT_LIMIT_MS;
  let open = await store.filterOpen(ctx, ids);
  while (open.length > 0 && performance.now() < deadline) {
    // Polls the database, because another API process may receive the last report.
    await pause(LAST_REPORT_POLL_MS);
    open = await store.filterOpen(ctx, open);
  }
  for (const id of open) await closeWithoutLastReport(ctx, id);
}

/**
 * Requests the end, or closes the connection at once if no live gateway serves it.
 * @throws AppError NOT_CONNECTED, RATE_LIMITED
 */
function requestEnd(
  ctx: Ctx,
  id: string,
  reason: store.RequestedEnd,
  { isRefundWaived = false, alsoIn }: EndOptions,
): Promise<'ended' | 'ending'> {
  return ctx.tx(async (ctx) => {
    const connection = await lockConnection(ctx, id);
    if (connection?.status !== 'WORK') throw new AppError('NOT_CONNECTED');
    // A second request does not change what the first one decided.
    if (connection.endingReason === null) {
      if (isRefundWaived) await store.waiveRefund(ctx, id);
      else if (reason === 'USER' && isUnusedReturn(ctx, connection)) await limitUnusedReturns(ctx, connection);
    }
    await alsoIn?.(ctx);
    return closeOrRequestEnd(
      ctx,
      { ...connection, isRefundWaived: connection.isRefundWaived || isRefundWaived },
      reason,
    );
  });
}

function isUnusedReturn({ config }: Ctx, { usedBytes, ageMs }: store.OpenConnection): boolean {
  return usedBytes === 0n && isRefundable('USER', ageMs, config.refundWindowMs);
}

/**
 * Limits how often a user can block proxies for free by buying them and returning them unused, or by replacing them.
 * @throws AppError RATE_LIMITED
 */
export async function limitUnusedReturns(ctx: Ctx, { userId }: Pick<store.OpenConnection, 'userId'>): Promise<void> {
  const { unusedReturnsPerHour, refundWindowMs } = ctx.config;
  const seconds = await store.secondsUntilUnusedReturn(ctx, userId, unusedReturnsPerHour, refundWindowMs);
  if (seconds !== undefined) throw AppError.rateLimited(seconds);
}

/** Ends an idle connection. Does nothing if it has ended or had traffic since it was found. */
export function endIdle(ctx: Ctx, id: string): Promise<void> {
  return ctx.tx(async (ctx) => {
    const connection = await lockConnection(ctx, id);
    if (!connection) return;
    const [idle] = await store.findIdle(ctx, ctx.config.idleTimeoutMs, 1, [id]);
    if (idle !== undefined) await closeOrRequestEnd(ctx, connection, 'IDLE');
  });
}

/**
 * Requests the end of all connections of a user, in the transaction that blocks them. The lock of the account excludes purchases.
 * @returns the ids of the user's open connections
 */
export async function requestEndsOfUser(ctx: Ctx, userId: string, payerAccountId: bigint): Promise<string[]> {
  await ledger.lockBalance(ctx, payerAccountId);
  const ids = await store.saveEndingsOfUser(ctx, userId, 'ADMIN');
  if (ids.length > 0) ctx.changed({ userId }, 'connections');
  return ids;
}

/**
 * Closes a connection whose end was requested, if no live gateway serves it. Otherwise its last report closes it, or `endIdleConnections`
 * if no report comes.
 */
export async function closeIfNoLiveRun(ctx: Ctx, id: string): Promise<void> {
  await ctx.tx(async (ctx) => {
    const connection = await lockConnection(ctx, id);
    if (connection?.status === 'WORK' && connection.endingReason)
      await closeOrRequestEnd(ctx, connection, connection.endingReason);
  });
}

/** Ends a connection of a user who was blocked without this API, for example by an operator's SQL statement. */
export async function endBlocked(ctx: Ctx, id: string): Promise<void> {
  await ctx.tx(async (ctx) => {
    const connection = await lockConnection(ctx, id);
    if (connection?.status === 'WORK' && !connection.endingReason) await closeOrRequestEnd(ctx, connection, 'ADMIN');
  });
}

async function closeOrRequestEnd(
  ctx: Ctx,
  connection: store.OpenConnection,
  reason: store.RequestedEnd,
): Promise<'ended' | 'ending'> {
  const silencesMs = await findSilences(ctx, connection.id);
  if (silencesMs.every((silenceMs) => silenceMs > GATEWAY_SILENCE_LIMIT_MS)) {
    await closeConnections(ctx, [{ connection, reason: connection.endingReason ?? reason }]);
    return 'ended';
  }
  if (!connection.endingReason) await store.saveEndings(ctx, [connection.id], reason);
  return 'ending';
}

/** Closes a connection whose last report did not come in time. Does nothing if it came in the meantime. */
export function closeWithoutLastReport(ctx: Ctx, id: string): Promise<void> {
  return ctx.tx(async (ctx) => {
    const connection = await lockConnection(ctx, id);
    if (connection?.status === 'WORK' && connection.endingReason)
      await closeConnections(ctx, [{ connection, reason: connection.endingReason }]);
  });
}

/** Locks the payer's account, which guards all of their connections, then reads the connection. */
export async function lockConnection(ctx: Ctx, id: string): Promise<store.OpenConnection | undefined> {
  const [payer] = await findPayers(ctx, [id]);
  if (payer === undefined) return undefined;
  await ledger.lockBalance(ctx, payer);
  const [connection] = await store.findForEnd(ctx, [id]);
  return connection;
}

export interface ClosedConnection {
  connection: store.OpenConnection;
  reason: EndReason;
}

/**
 * Bills and closes the connections; their proxies return to the catalogue, and those that are replaced get their successors. The caller
 * holds the locks of the payers' accounts. Call it last in a transaction: it ends with locking the shared system accounts.
 */
export async function closeConnections(ctx: Ctx, closed: readonly ClosedConnection[]): Promise<void> {
  const transfers: ledger.Transfer[] = [];
  for (const each of closed) transfers.push(...(await close(ctx, each)));
  // What came back may pay for them.
  for (const { connection } of closed) if (connection.isReplaced) await buyReplacement(ctx, connection.id);
  await ledger.postLocked(ctx, transfers);
}

/** @returns the transfer to post once all connections are closed */
async function close(ctx: Ctx, { connection, ...closed }: ClosedConnection): Promise<ledger.Transfer[]> {
  const bill = billAtEnd(ctx, connection, closed.reason);
  const reason = connection.isReplaced ? 'USER' : closed.reason;
  const { userId, ip } = await store.saveEnd(ctx, {
    id: connection.id,
    status: statusByEndReason[reason],
    reason,
    refundStatus: bill.refundMicros > 0n ? 'REFUNDED' : 'NONE',
    chargedMegabytes: bill.chargedMegabytes,
    grantedBytes: connection.usedBytes,
  });
  ctx.changed({ userId }, 'connections');
  // Users who end their own connection need no notification.
  if (reason !== 'USER')
    await notify(ctx, userId, `connection:${connection.id}:end`, {
      kind: 'CONNECTION_ENDED',
      details: { ip, reason, refund: toDollars(bill.refundMicros) },
    });
  if (isMailedReason(reason))
    await insertEnd(ctx, { connectionId: connection.id, userId, reason, refundMicros: bill.refundMicros });
  await ledger.release(ctx, connection.payerAccountId, heldMicros(toMeter(connection)));
  if (bill.refundMicros > 0n)
    await ledger.refund(ctx, {
      connectionId: connection.id,
      payerAccountId: connection.payerAccountId,
      megabytes: { from: bill.chargedMegabytes, to: connection.chargedMegabytes },
    });
  return bill.revenueMicros > 0n ? [transferToRevenue(connection, bill.revenueMicros)] : [];
}

/** What the connection costs if it ends now for this reason. */
export function billAtEnd(
  { config }: Pick<Ctx, 'config'>,
  connection: store.OpenConnection,
  reason: EndReason,
): FinalBill {
  const meter = toMeter(connection);
  // Staff have given all of it back while it was open: nothing is refunded twice.
  const isGivenBack = connection.staffRefundedMicros > startedMicros(meter);
  const isRefunded =
    !connection.isRefundWaived && !isGivenBack && isRefundable(reason, connection.ageMs, config.refundWindowMs);
  return finalBill(meter, isRefunded);
}

export function toMeter(connection: store.OpenConnection): Meter {
  return { ...connection, megabytePriceMicros: megabytePrice(connection.priceMicros) };
}

function transferToRevenue({ id, escrowAccountId }: store.OpenConnection, amountMicros: bigint): ledger.Transfer {
  return {
    idempotencyKey: `connection:${id}:settle`,
    debitAccountId: escrowAccountId,
    creditAccountId: ledger.systemAccounts.revenue,
    amountMicros,
    reason: 'SETTLE',
  };
}
