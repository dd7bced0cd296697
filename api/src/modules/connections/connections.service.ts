/** Selling proxies, listing connections, and ending them on request. */
import type {
  Connection,
  ConnectBody,
  ConnectionChange,
  ConnectionWithBalance,
  listConnections,
} from '@cellhop/contract/connections';
import type { ConnectionFileFormat } from '@cellhop/contract/connections.values';
import type { Output } from '@cellhop/contract/endpoint';
import { AppError } from '@cellhop/contract/errors';
import { PREPAID_MEGABYTES } from '@cellhop/contract/limits';
import { toDollars, toMicros } from '@cellhop/contract/units';
import type { StaffConnection } from '@cellhop/contract/staff/connections';
import type { ConnectionSort } from '@cellhop/contract/staff/lists.values';
import type { Actor } from '../../http/actor.ts';
import type { Ctx } from '../../ctx.ts';
import { readListed, toTotalPages, type PageQuery } from '../../http/paging.ts';
import type { Requester } from '../../http/requester.ts';
import { record } from '../audit-log/audit-log.service.ts';
import { grantsReturned, isBoughtWithCap, setBoughtCap, setCap } from '../billing/cap.service.ts';
import * as ledger from '../ledger/ledger.service.ts';
import { setAllowList } from './access.service.ts';
import {
  newConnectionId,
  encryptPassword,
  hashPassword,
  newCredentials,
} from '../../secrets/connection-credentials.ts';
import { connectionFiles } from './connection-file.ts';
import { presentConnection, presentForStaff, presentSold } from './connection-presenter.ts';
import { setTimer } from '../rotation/timer.service.ts';
import * as store from './connections.store.ts';
import * as staffList from './staff-list.store.ts';
import type { ConnectionFilter } from './staff-list.store.ts';
import { endConnection } from '../billing/ending.service.ts';

/**
 * Sells a proxy: takes it off the catalogue, charges the first 50 MB, opens the connection.
 * A repeated request with the same idempotency key returns the same connection.
 * @throws AppError PROXY_NOT_FOUND, PRICE_CHANGED, PROXY_BUSY, SMALL_BALANCE, IDEMPOTENCY_KEY_REUSED,
 *   TOO_MANY_CONNECTIONS, RATE_LIMITED, ACCOUNT_BLOCKED; then nothing has changed
 */
export async function connect(
  ctx: Ctx,
  actor: Actor,
  { id: proxyId, price, capMegabytes }: ConnectBody,
  { idempotencyKey, network }: Pick<store.Purchase, 'idempotencyKey' | 'network'>,
): Promise<ConnectionWithBalance> {
  const { secretKeys, openConnectionsMax, purchasesPerHour } = ctx.config;
  const { username, password } = newCredentials();
  const id = newConnectionId();
  const connection = {
    id,
    username,
    passwordEncrypted: encryptPassword(secretKeys, id, password),
    passwordHash: hashPassword(secretKeys, password),
  };
  const { userId, accountId: payerAccountId } = actor;
  const buyer = { userId, payerAccountId, idempotencyKey, network };
  const purchase = { ...connection, proxyId, priceMicros: toMicros(price), ...buyer };
  const result = await store.readRefusal(buy(ctx, { ...purchase, openConnectionsMax, purchasesPerHour }, capMegabytes));
  const cap = capMegabytes === undefined ? null : BigInt(capMegabytes);
  if (result.outcome === 'REPLAYED') {
    const { connectionId } = result;
    // Its proxy has been compared.
    const isSame =
      (await mustFind(ctx, connectionId)).priceMicros === purchase.priceMicros &&
      (await isBoughtWithCap(ctx, connectionId, cap));
    if (!isSame) throw new AppError('IDEMPOTENCY_KEY_REUSED');
    return showWithBalance(ctx, actor, connectionId);
  }
  if (result.outcome !== 'BOUGHT') throw toRefusal(result);
  ctx.changed(actor, 'connections');
  ctx.changed(actor, 'balance');
  if (network !== null) ctx.changed({ connectionId: id }, 'bought');
  // Builds the response from what was just written, without another query.
  const { balanceMicros, ...sold } = result;
  const row = { ...NEW_CONNECTION, ...connection, ...sold, capMegabytes: cap };
  return { ...presentSold(ctx.config, row, password), currentBalance: toDollars(balanceMicros) };
}

/** A purchase without a cap is one statement. A repeated one does not set the cap again, which may have been changed since. */
function buy(ctx: Ctx, purchase: store.Purchase, capMegabytes: number | undefined): Promise<store.PurchaseOutcome> {
  if (capMegabytes === undefined) return store.buyProxy(ctx, purchase);
  return ctx.tx(async (ctx) => {
    const result = await store.buyProxy(ctx, purchase);
    if (result.outcome !== 'BOUGHT') return result;
    await setBoughtCap(ctx, purchase.id, BigInt(capMegabytes));
    return result;
  });
}

function toRefusal(refusal: Exclude<store.PurchaseOutcome, { outcome: 'BOUGHT' | 'REPLAYED' }>): AppError {
  const error = new AppError(refusal.outcome);
  if ('retryAfterSeconds' in refusal) error.retryAfterSeconds = refusal.retryAfterSeconds;
  return error;
}

/** The initial state of every connection. */
const NEW_CONNECTION = {
  status: 'WORK',
  refundStatus: 'NONE',
  staffRefundedMicros: 0n,
  endReason: null,
  chargedMegabytes: BigInt(PREPAID_MEGABYTES),
  usedBytes: 0n,
  syncedAt: null,
  endedAt: null,
  label: null,
  firstBoughtAt: null,
  rotationSecret: null,
  everyMinutes: null,
  refusalReason: null,
  refusedAt: null,
} as const;

/**
 * Ends the user's own connection.
 * @throws AppError NOT_FOUND, NOT_CONNECTED, RATE_LIMITED if the user has returned too many unused connections within an hour: it
 *   stays open
 */
export function disconnect(ctx: Ctx, actor: Actor, id: string): Promise<ConnectionWithBalance> {
  return endOwn(ctx, actor, id, (ctx) => endConnection(ctx, id, 'USER'));
}

/** Ends the user's own connection without a refund, so no limit applies. @throws AppError NOT_FOUND, NOT_CONNECTED */
export function disconnectWithoutRefund(ctx: Ctx, actor: Actor, id: string): Promise<ConnectionWithBalance> {
  return endOwn(ctx, actor, id, (ctx) => endConnection(ctx, id, 'USER', { isRefundWaived: true }));
}

async function endOwn(ctx: Ctx, actor: Actor, id: string, end: (ctx: Ctx) => Promise<void>) {
  await requireOwn(ctx, actor, id);
  await end(ctx);
  return showWithBalance(ctx, actor, id);
}

/** Ends a connection of any user. @throws AppError NOT_FOUND, NOT_CONNECTED */
export async function endAnyConnection(
  ctx: Ctx,
  actor: Actor,
  { id, reason }: { id: string; reason: string | undefined },
  requester: Requester,
): Promise<StaffConnection> {
  const connection = await store.findConnection(ctx, id);
  if (!connection) throw new AppError('NOT_FOUND', { thing: 'Connection' });
  await endConnection(ctx, id, 'ADMIN', {
    alsoIn: (ctx) =>
      record(ctx, {
        action: 'CONNECTION_ENDED',
        actorId: actor.userId,
        userId: connection.userId,
        subject: { type: 'CONNECTION', id },
        requester,
        reason,
      }),
  });
  return presentForStaff(ctx.config, await mustFind(ctx, id));
}

export async function listOwn(
  ctx: Ctx,
  actor: Actor,
  { page, size, ...filter }: PageQuery & store.OwnFilter,
): Promise<Output<typeof listConnections>> {
  const [{ rows, balanceMicros }, count] = await Promise.all([
    store.listConnections(ctx, actor, filter, { page, size }),
    store.countConnections(ctx, actor.userId, filter),
  ]);
  // Staff who see the app as the user never see passwords.
  const present = (row: store.ConnectionRow) =>
    actor.viewerId === undefined ? presentConnection(ctx, row) : presentSold(ctx.config, row, null);
  return {
    data: rows.map(present),
    totalPages: toTotalPages(count, { page, size }),
    ...(balanceMicros !== undefined && { balance: toDollars(balanceMicros) }),
  };
}

const EXPORT_BATCH_ROWS = 500;

/** The open connections. Each batch begins where the previous one ended, so those that end meanwhile hide no other. */
export async function* exportOwn(ctx: Ctx, actor: Actor, format: ConnectionFileFormat): AsyncGenerator<string> {
  const { start, line, end } = connectionFiles[format];
  yield start;
  let isFirst = true;
  let lastId: string | null = null;
  for (;;) {
    const rows: store.ConnectionRow[] = await store.listLiveConnections(ctx, actor.userId, EXPORT_BATCH_ROWS, lastId);
    for (const row of rows) {
      const { password, ...connection } = presentConnection(ctx, row);
      if (password === null) continue;
      yield line({ ...connection, password }, isFirst);
      isFirst = false;
    }
    if (rows.length < EXPORT_BATCH_ROWS) break;
    lastId = rows.at(-1)!.id;
  }
  yield end;
}

/**
 * Changes the user's own connection: all given values, or none. A lowered cap is in force when this returns.
 * @throws AppError NOT_FOUND; for the cap and the allow-list also NOT_CONNECTED, CAP_USED_UP, ADDRESS_NOT_USED; for the timer NOT_ROTATABLE
 */
export async function changeOwn(ctx: Ctx, actor: Actor, id: string, change: ConnectionChange): Promise<Connection> {
  const { label, capMegabytes, allowList, rotateEveryMinutes } = change;
  await ctx.tx(async (ctx) => {
    await requireOwn(ctx, actor, id);
    if (capMegabytes !== undefined) await setCap(ctx, id, capMegabytes === null ? null : BigInt(capMegabytes));
    if (allowList !== undefined) await setAllowList(ctx, actor, id, allowList);
    if (rotateEveryMinutes !== undefined) await setTimer(ctx, id, rotateEveryMinutes);
    if (label !== undefined) await store.saveLabel(ctx, id, label);
    ctx.changed(actor, 'connections');
  });
  if (typeof capMegabytes === 'number') await grantsReturned(ctx, id);
  return presentConnection(ctx, await mustFind(ctx, id));
}

/** The newest live connections of a user. */
export async function listLiveForStaff(ctx: Ctx, userId: string, limit: number): Promise<StaffConnection[]> {
  const rows = await store.listLiveConnections(ctx, userId, limit);
  return rows.map((row) => presentForStaff(ctx.config, row));
}

export async function listForStaff(
  ctx: Ctx,
  { page, size, sort, ...filter }: PageQuery & ConnectionFilter & { sort: ConnectionSort },
) {
  const { rows, ...pages } = await readListed(
    { page, size },
    {
      list: () => staffList.listForStaff(ctx, filter, sort, { page, size }),
      count: (limit) => staffList.countForStaff(ctx, filter, limit),
    },
  );
  return { data: rows.map((row) => presentForStaff(ctx.config, row)), ...pages };
}

/** The newest that match all given conditions. */
export async function findForStaff(ctx: Ctx, filter: ConnectionFilter, limit: number): Promise<StaffConnection[]> {
  const rows = await staffList.listForStaff(ctx, filter, '-createdAt', { page: 1, size: limit });
  return rows.map((row) => presentForStaff(ctx.config, row));
}

/** With its password: for the traffic of the demo, which has no actor. */
export async function readWithPassword(ctx: Ctx, id: string): Promise<Connection> {
  return presentConnection(ctx, await mustFind(ctx, id));
}

/** @throws AppError NOT_FOUND */
export async function requireOwn(ctx: Ctx, actor: Actor, id: string): Promise<void> {
  const connection = await store.findConnection(ctx, id);
  if (connection?.userId !== actor.userId) throw new AppError('NOT_FOUND', { thing: 'Connection' });
}

export async function showWithBalance(ctx: Ctx, actor: Actor, id: string): Promise<ConnectionWithBalance> {
  const [row, { balanceMicros }] = await Promise.all([mustFind(ctx, id), ledger.readBalance(ctx, actor.accountId)]);
  return { ...presentConnection(ctx, row), currentBalance: toDollars(balanceMicros) };
}

async function mustFind(ctx: Ctx, id: string): Promise<store.ConnectionRow> {
  const row = await store.findConnection(ctx, id);
  if (!row) throw new Error(`connection ${id} does not exist any more`);
  return row;
}
