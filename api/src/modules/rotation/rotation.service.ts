/**
 * Change of the address of an exit (docs/exits.md). A customer orders it, a run of the exit's node calls the link of the farm, and the checks
 * of the exit decide: it is done when one of them has seen another address.
 */
import { AppError } from '@cellhop/contract/errors';
import { type ExitCheck, ROTATION_CONTRACT_VERSION, type RotationReport } from '@cellhop/contract/exit-checks';
import type { RotationLink } from '@cellhop/contract/rotation-links';
import {
  CONNECTION_ADDRESSES_MAX,
  type listConnectionAddresses,
  type RotationResult,
} from '@cellhop/contract/rotation';
import type { RotationChange } from '@cellhop/contract/staff/exit-rotation';
import type { Output } from '@cellhop/contract/endpoint';
import type { Ctx } from '../../ctx.ts';
import { cleanUp } from '../../db/clean-up.ts';
import type { Actor } from '../../http/actor.ts';
import { STAFF } from '../../live/changes.ts';
import { decryptLink, encryptLink, linkKeys, linkOwner, resealLink } from '../../secrets/rotation-links.ts';
import { type Position, type ResealedBatch, resealRows } from '../../secrets/sealing.ts';
import { record } from '../audit-log/audit-log.service.ts';
import { type Editor, promiseNoAddress } from '../proxies/inventory.service.ts';
import { endOfCooldownMs, presentRotation, ROTATION_MS_MAX } from './rotation-state.ts';
import * as resealing from './rotation-resealing.store.ts';
import * as store from './rotation.store.ts';

export { presentRotation, type RotationRow } from './rotation-state.ts';
export { SELECT_ROTATION } from './rotation.store.ts';

/** @throws AppError NOT_FOUND, NOT_CONNECTED */
export async function requireOwn(ctx: Ctx, actor: Actor, connectionId: string): Promise<store.RotatedConnection> {
  const connection = await store.findRotatedConnection(ctx, connectionId);
  if (connection?.userId !== actor.userId) throw new AppError('NOT_FOUND', { thing: 'Connection' });
  if (connection.status !== 'WORK') throw new AppError('NOT_CONNECTED');
  return connection;
}

/** @throws AppError as `order`, and NOT_FOUND */
export async function rotateOwn(ctx: Ctx, actor: Actor, connectionId: string): Promise<RotationResult> {
  await requireOwn(ctx, actor, connectionId);
  return order(ctx, connectionId);
}

/**
 * Orders another address for a connection. While one is awaited, returns that change. Does not wait for the outcome.
 * @throws AppError NOT_CONNECTED, NOT_ROTATABLE, GATEWAY_TOO_OLD, RATE_LIMITED
 */
export async function order(ctx: Ctx, connectionId: string): Promise<RotationResult> {
  const connection = await store.findRotatedConnection(ctx, connectionId);
  if (connection?.status !== 'WORK') throw new AppError('NOT_CONNECTED');
  announce(ctx, await store.finishOverdue(ctx, ROTATION_MS_MAX, connection.exitId));
  return ctx.tx(async (ctx) => {
    await store.lockRotation(ctx, connection.exitId);
    const row = (await store.findRotatedConnection(ctx, connectionId))!;
    if (!row.rotates) throw new AppError('NOT_ROTATABLE');
    const { state } = presentRotation(row, connectionId, ctx.config.rotationCooldownMs)!;
    if (state !== 'ROTATING') {
      await requireAllowed(ctx, row);
      await store.insertChange(ctx, row.exitId, connectionId);
      ctx.changed({ userId: row.userId }, 'connections');
    }
    const { oldIp, newIp, seconds } = (await store.findLastChange(ctx, row.exitId))!;
    return { state: 'ROTATING', oldIp, newIp, seconds };
  });
}

/** What became of the last change. @throws AppError NOT_CONNECTED, NOT_ROTATABLE */
export async function readResult(ctx: Ctx, connectionId: string): Promise<RotationResult> {
  const row = await store.findRotatedConnection(ctx, connectionId);
  if (row?.status !== 'WORK') throw new AppError('NOT_CONNECTED');
  const presented = presentRotation(row, connectionId, ctx.config.rotationCooldownMs);
  if (presented === null) throw new AppError('NOT_ROTATABLE');
  const { state } = presented;
  const last = await store.findLastChange(ctx, row.exitId);
  return { state, oldIp: last?.oldIp ?? null, newIp: last?.newIp ?? null, seconds: last?.seconds ?? 0 };
}

async function requireAllowed(ctx: Ctx, row: store.RotatedConnection): Promise<void> {
  const { rotationCooldownMs, rotationsPerHour } = ctx.config;
  if ((row.nodeVersion ?? 0) < ROTATION_CONTRACT_VERSION) throw new AppError('GATEWAY_TOO_OLD');
  const coolingMs = endOfCooldownMs(row, rotationCooldownMs) - Date.now();
  if (coolingMs > 0) throw AppError.rateLimited(Math.ceil(coolingMs / 1000));
  const seconds = await store.secondsUntilNext(ctx, row.exitId, row.changesPerHour ?? rotationsPerHour);
  if (seconds !== undefined) throw AppError.rateLimited(seconds);
}

/** @throws AppError NOT_FOUND */
export async function listAddresses(
  ctx: Ctx,
  actor: Actor,
  connectionId: string,
): Promise<Output<typeof listConnectionAddresses>['data']> {
  const connection = await store.findRotatedConnection(ctx, connectionId);
  if (connection?.userId !== actor.userId) throw new AppError('NOT_FOUND', { thing: 'Connection' });
  const rows = await store.listAddresses(ctx, connectionId, CONNECTION_ADDRESSES_MAX);
  return rows.map(({ ip, since }) => ({ ip, since: since.toISOString() }));
}

export interface OrderedLink {
  id: string;
  exitId: string;
  link: RotationLink;
}

/** @returns links that this node shall call, of the exits whose change is awaited */
export async function takeOrders(
  ctx: Ctx,
  nodeId: string,
  wanted: number,
): Promise<{ rotatingIds: string[]; orders: OrderedLink[] }> {
  const rotating = await store.findRotating(ctx, nodeId);
  const rotatingIds = rotating.map(({ exitId }) => exitId);
  if (wanted === 0 || rotating.every(({ isTaken }) => isTaken)) return { rotatingIds, orders: [] };
  const orders: OrderedLink[] = [];
  const unreadable: RotationReport[] = [];
  for (const { id, exitId, linkEncrypted, ...exit } of await store.takeOrders(ctx, nodeId, wanted)) {
    const link = decryptLink(ctx.config.secretKeys, exit, linkEncrypted);
    if (link) orders.push({ id, exitId, link });
    else unreadable.push({ id, outcome: 'failed', reason: 'link-unreadable' });
  }
  if (unreadable.length > 0) {
    ctx.log.error({ count: unreadable.length }, 'no key of SECRET_KEY decrypts links that change addresses');
    announce(ctx, await store.saveFailed(ctx, nodeId, unreadable));
  }
  return { rotatingIds, orders };
}

/** @returns the exits whose links were called: their checks are due */
export async function saveReports(ctx: Ctx, nodeId: string, reports: readonly RotationReport[]): Promise<string[]> {
  const called = reports.filter(({ outcome }) => outcome === 'called');
  const failed = reports.filter(({ outcome }) => outcome === 'failed');
  const exitIds = called.length > 0 ? await store.saveCalled(ctx, nodeId, called) : [];
  if (failed.length > 0) announce(ctx, await store.saveFailed(ctx, nodeId, failed));
  return exitIds;
}

/** Ends the changes whose exits have another address by now. */
export async function compareAddresses(ctx: Ctx, checks: readonly ExitCheck[]): Promise<void> {
  const seen = checks.flatMap(({ exitId, outcome, address }) =>
    outcome === 'ok' && address !== undefined ? [{ exitId, address }] : [],
  );
  if (seen.length === 0) return;
  const finished = await store.saveSeen(ctx, seen);
  announce(ctx, finished);
  const changed = new Set(finished.map(({ exitId }) => exitId));
  const exitIds = checks.flatMap(({ exitId, seenAddress }) =>
    changed.has(exitId) && seenAddress !== undefined ? [exitId] : [],
  );
  if (exitIds.length > 0) await promiseNoAddress(ctx, exitIds);
}

/** A periodic task: a farm or a node that does not answer keeps no change open. */
export async function finishOverdue(ctx: Ctx): Promise<void> {
  announce(ctx, await store.finishOverdue(ctx, ROTATION_MS_MAX));
}

function announce(ctx: Ctx, finished: readonly store.FinishedChange[]): void {
  for (const { userId } of finished) ctx.changed({ userId }, 'connections');
}

/** Changes are kept as long as the addresses of exits; links and timers of connections are of no use after the end. */
export async function deleteOldChanges(ctx: Ctx): Promise<void> {
  const days = ctx.config.exitAddressesDays;
  await cleanUp(ctx, 'changes of addresses', (ctx, limit) => store.deleteOldChanges(ctx, days, limit));
  await cleanUp(ctx, 'links and timers of ended connections', store.deleteEnded);
}

/** Sets or removes the link of an exit. @throws AppError NOT_FOUND, EXIT_SHARED */
export async function changeRotation(
  ctx: Ctx,
  { actorId, requester }: Editor,
  exitId: string,
  { link, reason, ...limits }: RotationChange,
): Promise<void> {
  await ctx.tx(async (ctx) => {
    const exit = await store.findExit(ctx, exitId);
    if (!exit || (link === undefined && !exit.hasLink)) throw new AppError('NOT_FOUND', { thing: 'Exit' });
    if (link && exit.proxies > 1) throw new AppError('EXIT_SHARED');
    if (link === null) await store.deleteRotation(ctx, exitId);
    else await store.saveRotation(ctx, exitId, limits, link && encryptLink(ctx.config.secretKeys, exit, link));
    await record(ctx, {
      action: 'EXIT_ROTATION_CHANGED',
      actorId,
      requester,
      subject: { type: 'PROXY' },
      reason,
      // Never the link: it contains a token.
      details: { exitId, isLinkChanged: link !== undefined },
      before: { hasLink: exit.hasLink, cooldownSeconds: exit.cooldownSeconds, changesPerHour: exit.changesPerHour },
      after: { hasLink: link !== null, ...(link === null ? { cooldownSeconds: null, changesPerHour: null } : limits) },
    });
    ctx.changed(STAFF, 'staff-catalogue');
  });
}

/** Encrypts the links again, with the newest key. */
export async function resealLinks(ctx: Ctx, after: Position, limit: number): Promise<ResealedBatch> {
  const { secretKeys } = ctx.config;
  const rows = (await resealing.listSealed(ctx, after, limit)).map((row) => ({ ...row, owner: linkOwner(row) }));
  const owners = new Map(rows.map(({ id, owner }) => [id, owner]));
  return resealRows(linkKeys(secretKeys), after, rows, (opened) =>
    resealing.saveSealed(
      ctx,
      opened.map(({ id, before, secret }) => ({
        id,
        before,
        encrypted: resealLink(secretKeys, owners.get(id)!, secret),
      })),
    ),
  );
}

export const countSealedLinks = resealing.countSealed;
