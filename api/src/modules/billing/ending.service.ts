/**
 * How a connection ends. A gateway that has it open knows of bytes that it has not reported yet, and the refund depends
 * on them: so an end is first asked for (`ending_reason`), the gateway hears of it at once, cuts the
 * tunnels and sends its last total, and only then is the bill made. A gateway that does not answer is not waited for
 * long: the bill is then made from what it had reported.
 */
import { AppError } from '@cellhop/contract/errors';
import type { EndReason } from '@cellhop/contract/connections';
import { megabytePrice, toDollars } from '@cellhop/contract/units';
import { setTimeout as pause } from 'node:timers/promises';
import type { Ctx } from '../../ctx.ts';
import * as ledger from '../ledger/ledger.service.ts';
import { notify } from '../notifications/notifications.service.ts';
import { finalBill, heldMicros, type Meter } from './charging.ts';
import { isRefundable, statusAfter } from './end-status.ts';
import * as store from './ending.store.ts';
import { findPayers } from './metered.store.ts';
import { findSilences } from './runs.store.ts';
import { findIdle } from './sweep.store.ts';

export { findConnectionsOfRuns, findEnding, findEndsOfRuns } from './runs.store.ts';

/** A gateway reports twice a second; one that has been silent for this long is taken as gone. */
const GATEWAY_SILENCE_LIMIT_MS = 5000;
const LAST_REPORT_LIMIT_MS = 5000;
const LAST_REPORT_POLL_MS = 40;

interface EndOptions {
  /** What was not used does not go back. */
  isRefundWaived?: boolean;
}

/**
 * Ends a connection and waits until the bill is made.
 * @throws AppError NOT_CONNECTED if it has ended before; RATE_LIMITED if its user has returned too many unused ones
 */
export async function endConnection(
  ctx: Ctx,
  id: string,
  reason: store.RequestedEnd,
  options: EndOptions = {},
): Promise<void> {
  if ((await requestEnd(ctx, id, reason, options)) === 'ended') return;
  const deadline = performance.now() + LAST_REPORT_LIMIT_MS;
  while (performance.now() < deadline) {
    // The last report may reach another process of this API, so the database is asked, not a variable of ours.
    await pause(LAST_REPORT_POLL_MS);
    if ((await store.findStatus(ctx, id)) !== 'WORK') return;
  }
  await finishOverdue(ctx, id);
}

/**
 * Asks for the end; makes the bill at once if no gateway has anything to report.
 * @throws AppError NOT_CONNECTED, RATE_LIMITED
 */
function requestEnd(
  ctx: Ctx,
  id: string,
  reason: store.RequestedEnd,
  { isRefundWaived = false }: EndOptions,
): Promise<'ended' | 'ending'> {
  return ctx.tx(async (ctx) => {
    const connection = await lockConnection(ctx, id);
    if (connection?.status !== 'WORK') throw new AppError('NOT_CONNECTED');
    // What was decided when the end was first asked for holds for whoever asks again.
    if (connection.endingReason === null) {
      if (isRefundWaived) await store.waiveRefund(ctx, id);
      else if (reason === 'USER') await refuseUnusedReturn(ctx, connection);
    }
    return beginEnd(ctx, { ...connection, isRefundWaived: connection.isRefundWaived || isRefundWaived }, reason);
  });
}

/** Whoever keeps proxies from others for nothing, by returning them unused again and again, is slowed down. */
async function refuseUnusedReturn(ctx: Ctx, { userId, usedBytes, ageMs }: store.OpenConnection): Promise<void> {
  const { unusedReturnsPerHour, refundWindowMs } = ctx.config;
  if (usedBytes > 0n || !isRefundable('USER', ageMs, refundWindowMs)) return;
  const seconds = await store.secondsUntilUnusedReturn(ctx, userId, unusedReturnsPerHour, refundWindowMs);
  if (seconds !== undefined) throw AppError.rateLimited(seconds);
}

/** Ends a connection without traffic. Nothing happens if it has ended, or has had traffic, since it was found idle. */
export function endIdle(ctx: Ctx, id: string): Promise<void> {
  return ctx.tx(async (ctx) => {
    const connection = await lockConnection(ctx, id);
    if (!connection) return;
    const [idle] = await findIdle(ctx, ctx.config.idleTimeoutMs, 1, [id]);
    if (idle !== undefined) await beginEnd(ctx, connection, 'IDLE');
  });
}

/**
 * Asks for the ends of all connections of a user who is being blocked, in that transaction: no purchase of theirs is under way then.
 * @returns those that are open
 */
export async function beginEndsOfUser(ctx: Ctx, userId: string, payerAccountId: bigint): Promise<string[]> {
  await ledger.lockBalance(ctx, payerAccountId);
  const ids = await store.saveEndingsOfUser(ctx, userId, 'ADMIN');
  if (ids.length > 0) ctx.changed({ userId }, 'connections');
  return ids;
}

/**
 * Makes the bill of an end that was asked for, if no gateway has anything to report. Otherwise the last report makes it, or the
 * sweep when none comes.
 */
export async function finishUnheard(ctx: Ctx, id: string): Promise<void> {
  await ctx.tx(async (ctx) => {
    const connection = await lockConnection(ctx, id);
    if (connection?.status === 'WORK' && connection.endingReason)
      await beginEnd(ctx, connection, connection.endingReason);
  });
}

/** Of users who were blocked by other means, such as a statement of the operator. */
export async function endBlocked(ctx: Ctx, id: string): Promise<void> {
  await ctx.tx(async (ctx) => {
    const connection = await lockConnection(ctx, id);
    if (connection?.status === 'WORK' && !connection.endingReason) await beginEnd(ctx, connection, 'ADMIN');
  });
}

async function beginEnd(
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

/** Makes the bill of an end whose last report did not come. Nothing happens if it has come meanwhile. */
export function finishOverdue(ctx: Ctx, id: string): Promise<void> {
  return ctx.tx(async (ctx) => {
    const connection = await lockConnection(ctx, id);
    if (connection?.status === 'WORK' && connection.endingReason)
      await closeConnections(ctx, [{ connection, reason: connection.endingReason }]);
  });
}

/** Locks the payer's account, the mutex of his connections, then reads the connection. */
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
 * Makes the bills, posts them and closes the connections; their proxies return to the catalogue. The caller has locked the payers'
 * accounts. It is the transaction's last change: the ledger locks the shared accounts at the end of it.
 */
export async function closeConnections(ctx: Ctx, closed: readonly ClosedConnection[]): Promise<void> {
  const settlements: ledger.Transfer[] = [];
  for (const each of closed) settlements.push(...(await close(ctx, each)));
  await ledger.postLocked(ctx, settlements);
}

/** @returns what is settled, to be posted after what is done to other connections */
async function close(ctx: Ctx, { connection, reason }: ClosedConnection): Promise<ledger.Transfer[]> {
  const meter: Meter = { ...connection, megabytePriceMicros: megabytePrice(connection.priceMicros) };
  const isRefunded = !connection.isRefundWaived && isRefundable(reason, connection.ageMs, ctx.config.refundWindowMs);
  const bill = finalBill(meter, isRefunded);
  const { userId, ip } = await store.saveEnd(ctx, {
    id: connection.id,
    status: statusAfter[reason],
    reason,
    refundStatus: bill.refundMicros > 0n ? 'REFUNDED' : 'NONE',
    chargedMegabytes: bill.chargedMegabytes,
    grantedBytes: connection.usedBytes,
  });
  ctx.changed({ userId }, 'connections');
  // Whoever ends his own connection knows it.
  if (reason !== 'USER')
    await notify(ctx, userId, `connection:${connection.id}:end`, {
      kind: 'CONNECTION_ENDED',
      details: { ip, reason, refund: toDollars(bill.refundMicros) },
    });
  await ledger.release(ctx, connection.payerAccountId, heldMicros(meter));
  if (bill.refundMicros > 0n)
    await ledger.refund(ctx, {
      connectionId: connection.id,
      payerAccountId: connection.payerAccountId,
      megabytes: { from: bill.chargedMegabytes, to: meter.chargedMegabytes },
    });
  return bill.settledMicros > 0n ? [settlement(connection, bill.settledMicros)] : [];
}

function settlement({ id, escrowAccountId }: store.OpenConnection, amountMicros: bigint): ledger.Transfer {
  return {
    idempotencyKey: `connection:${id}:settle`,
    debitAccountId: escrowAccountId,
    creditAccountId: ledger.systemAccounts.revenue,
    amountMicros,
    reason: 'SETTLE',
  };
}
