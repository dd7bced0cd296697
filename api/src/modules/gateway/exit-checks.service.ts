/**
 * Decides which exits work. Nodes check their exits and report the outcomes; this module hands the checks out, each to one run of the
 * node, and takes proxies whose exit does not work out of the catalogue (docs/catalogue.md).
 */
import { AppError } from '@cellhop/contract/errors';
import type { checkExits, ExitCheck, ExitChecksResponse, RotationOrder } from '@cellhop/contract/exit-checks';
import type { Exit } from '@cellhop/contract/exits';
import type { z } from 'zod';
import type { Ctx } from '../../ctx.ts';
import { cleanUp } from '../../db/clean-up.ts';
import { STAFF } from '../../live/changes.ts';
import { type ExitOfLogin, toExit } from '../connections/logins.service.ts';
import { followExits } from '../proxies/inventory.service.ts';
import { openPlaces } from '../proxies/place-files.service.ts';
import { addSeen } from '../proxies/waiting.service.ts';
import { afterCheck } from './exit-health.ts';
import { compareAddresses, type OrderedLink, saveReports, takeOrders } from '../rotation/rotation.service.ts';
import * as store from './exit-checks.store.ts';
import { addChecks, type CheckOfDay } from './exit-history.store.ts';

export { countByHealth, sumChecks } from './exit-checks.store.ts';

/** Minimum interval between two checks that failures of customers cause. */
const SUSPECT_SPACING_MS = 10_000;
const LOST_CHECK_MS = 5_000;
/** While another address is awaited. */
const ROTATING_CHECK_MS = 2_000;

export async function exchangeChecks(
  ctx: Ctx,
  nodeId: string,
  { checks, suspectIds, wanted, rotations, rotationsWanted = 0 }: z.output<typeof checkExits.body>,
): Promise<ExitChecksResponse> {
  // Before the checks, which may have been made after the links were called.
  if (rotations !== undefined && rotations.length > 0)
    await store.requestAtOnce(ctx, await saveReports(ctx, nodeId, rotations));
  if (checks.length > 0) await saveChecks(ctx, nodeId, checks);
  if (suspectIds.length > 0) await store.requestSuspects(ctx, nodeId, suspectIds, SUSPECT_SPACING_MS);
  const due = wanted > 0 ? await store.takeDue(ctx, nodeId, wanted) : [];
  const { rotatingIds, orders } = await takeOrders(ctx, nodeId, rotationsWanted);
  return {
    due: await describeExits(ctx, nodeId, due),
    capabilityIds: due.filter(({ areCapabilitiesDue }) => areCapabilitiesDue).map(({ exitId }) => exitId),
    echoAloneIds: due.filter(({ isInDoubt }) => isInDoubt).map(({ exitId }) => exitId),
    lostIds: await store.findLost(ctx, nodeId),
    rotations: await describeOrders(ctx, nodeId, orders),
    rotatingIds,
  };
}

async function saveChecks(ctx: Ctx, nodeId: string, checks: readonly ExitCheck[]): Promise<void> {
  const checkById = new Map(checks.map((check) => [check.exitId, check]));
  const placeOf = await openPlaces(ctx);
  const checked = await ctx.tx(async (ctx) => {
    const rows = await store.lockStates(ctx, nodeId, [...checkById.keys()]);
    const checked = rows.map((row) => {
      const check = checkById.get(row.exitId)!;
      // While the address changes, an exit does not work, and that says nothing about it.
      const outcome = row.isRotating && check.outcome === 'failed' ? 'inconclusive' : check.outcome;
      const state = afterCheck(row, outcome);
      if (row.isRotating) Object.assign(state, { nextCheckMs: ROTATING_CHECK_MS, isUrgent: true });
      return {
        ...row,
        check,
        outcome,
        seenPlace: placeOf(check.seenAddress ?? null),
        state,
        isOther: row.health !== state.health,
      };
    });
    await store.saveChecks(ctx, checked);
    const found = checked.flatMap(({ exitId, check: { capabilities } }) =>
      capabilities ? [{ exitId, ...capabilities }] : [],
    );
    if (found.length > 0) await store.saveCapabilities(ctx, found);
    const decided = checked.filter(({ outcome }) => outcome !== 'inconclusive');
    const passed = decided.filter(({ outcome }) => outcome === 'ok');
    if (decided.length > 0) await addChecks(ctx, decided.map(toCheckOfDay));
    if (decided.length > 0) await store.countChecks(ctx, nodeId, decided.length, passed.length);
    return checked;
  });
  const awaited = checked.filter(({ isRotating }) => isRotating).map(({ check }) => check);
  if (awaited.length > 0) await compareAddresses(ctx, awaited);
  // For a while after a change: proxies that were added during it, or are too many for one report, follow later.
  const followed = checked.filter(({ isOther, hasChanged }) => isOther || hasChanged);
  if (followed.length > 0)
    await followExits(
      ctx,
      followed.map(({ exitId }) => exitId),
    );
  const seenIds = checked.filter(({ check }) => check.seenAddress !== undefined).map(({ exitId }) => exitId);
  if (seenIds.length > 0) await addSeen(ctx, seenIds);
  if (checked.some(({ isOther, isRequested }) => isOther || isRequested)) ctx.changed(STAFF, 'staff-catalogue');
}

function toCheckOfDay({ check, state, isOther }: store.Checked & { isOther: boolean }): CheckOfDay {
  const isOutage = isOther && state.health === 'UNHEALTHY';
  const { exitId, outcome, latencyMs, reason, bytesPerSecond } = check;
  return { exitId, isFailed: outcome === 'failed', latencyMs, isOutage, reason, bytesPerSecond };
}

/** With the exits through which the nodes see the address before. Those that no key opens end without a call. */
async function describeOrders(ctx: Ctx, nodeId: string, orders: readonly OrderedLink[]): Promise<RotationOrder[]> {
  if (orders.length === 0) return [];
  const rows = await store.findExits(
    ctx,
    orders.map(({ exitId }) => exitId),
  );
  const exits = new Map((await describeExits(ctx, nodeId, rows)).map((exit) => [exit.id, exit]));
  const closed = orders.filter(({ exitId }) => !exits.has(exitId));
  if (closed.length > 0)
    await saveReports(
      ctx,
      nodeId,
      closed.map(({ id }) => ({ id, outcome: 'failed', reason: 'credentials-unreadable' })),
    );
  return orders.flatMap(({ id, exitId, link }) => {
    const exit = exits.get(exitId);
    return exit ? [{ id, exit, link }] : [];
  });
}

/** An exit whose credentials no key decrypts is never used without its login, so its check has failed. */
async function describeExits(ctx: Ctx, nodeId: string, rows: readonly ExitOfLogin[]): Promise<Exit[]> {
  const exits: Exit[] = [];
  const unreadable: ExitCheck[] = [];
  for (const row of rows) {
    try {
      exits.push(toExit(ctx, row));
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      unreadable.push({ exitId: row.exitId, outcome: 'failed', reason: 'credentials-unreadable' });
    }
  }
  if (unreadable.length > 0) await saveChecks(ctx, nodeId, unreadable);
  return exits;
}

/** A node ends these connections because their exits are gone: they are not sold again before checks have succeeded. */
export async function recordLost(ctx: Ctx, nodeId: string, connectionIds: readonly string[]): Promise<void> {
  const exitIds = await store.saveLost(ctx, nodeId, connectionIds, LOST_CHECK_MS);
  if (exitIds.length === 0) return;
  await followExits(ctx, exitIds);
  ctx.changed(STAFF, 'staff-catalogue');
}

/** Who had an address is known for this long. */
export async function deleteOldAddresses(ctx: Ctx): Promise<void> {
  const days = ctx.config.exitAddressesDays;
  await cleanUp(ctx, 'addresses of exits', (ctx, limit) => store.deleteOldAddresses(ctx, days, limit));
}

/** The node checks the exit within seconds. @throws AppError NOT_FOUND */
export async function requestCheck(ctx: Ctx, exitId: string): Promise<void> {
  if (!(await store.requestCheck(ctx, exitId))) throw new AppError('NOT_FOUND', { thing: 'Exit' });
}
