/**
 * Bulk changes and imports of the inventory. A request orders a change and a job applies it in one transaction, so customers never see a
 * part of it, and an interrupted job that runs again applies it once. The progress is written outside of the transaction. After the last
 * failed attempt, staff retry or dismiss the change.
 */
import { AppError } from '@cellhop/contract/errors';
import { INVENTORY_CHANGES_LISTED } from '@cellhop/contract/limits';
import { inventoryFilterSchema, priceChangeSchema, type InventoryChange } from '@cellhop/contract/staff/inventory';
import { z } from 'zod';
import { cleanUp } from '../../db/clean-up.ts';
import type { Ctx } from '../../ctx.ts';
import { hideSecrets, enqueue, findProgress, removeJob } from '../../jobs/jobs.ts';
import { STAFF } from '../../live/changes.ts';
import { type AuditEntry, record } from '../audit-log/audit-log.service.ts';
import { mayStill } from '../users/users.service.ts';
import * as store from './inventory-changes.store.ts';
import * as imports from './imports.service.ts';
import * as inventory from './inventory.service.ts';

/** The limit of one statement, generous because the lock waits for the previous change. */
const TIME_LIMIT_MS = 120_000;

export type { ChangeRequest } from './inventory-changes.store.ts';

const seenShape = {
  filter: inventoryFilterSchema,
  count: z.int(),
  fingerprint: z.string(),
  reason: z.string().optional(),
};
/** Stored requests are parsed: a process of another version may have written them. */
const requestSchemas = {
  PRICE: z.object({ ...seenShape, change: priceChangeSchema }),
  RETIRE: z.object(seenShape),
  RESTORE: z.object(seenShape),
  IMPORT: z.object({ importId: z.uuid() }),
};

/**
 * Orders a change. A repeated order before its end returns the same change, and retries it if it has failed.
 * @throws AppError CHANGED_ELSEWHERE if the proxies are not those that were seen, NOT_FOUND
 */
export async function orderChange(
  ctx: Ctx,
  editor: inventory.Editor,
  order: store.ChangeRequest,
): Promise<InventoryChange> {
  const actorId = editor.actorId ?? null;
  const counts =
    order.kind === 'IMPORT'
      ? await imports.checkOrder(ctx, editor, order.request.importId)
      : { rowCount: await inventory.requireSame(ctx, order.request), newCount: null };
  return ctx.tx(async (ctx) => {
    const change = { actorId, requester: editor.requester ?? null, ...counts };
    const { id, isNew } = await store.insertChange(ctx, order, change);
    const ordered = (await store.lockChange(ctx, id))!;
    if (isNew) {
      await enqueueJob(ctx, id);
      await recordFor(ctx, editor, ordered, 'CATALOGUE_CHANGE_ORDERED');
    } else if (ordered.status === 'FAILED') await retry(ctx, editor, ordered);
    ctx.changed(STAFF, 'staff-catalogue');
    return present((await store.findChange(ctx, id))!);
  });
}

/** @throws AppError NOT_FOUND, CHANGED_ELSEWHERE if it has not failed, or others have decided */
export function retryChange(ctx: Ctx, editor: inventory.Editor, id: string): Promise<InventoryChange> {
  return decide(ctx, id, (ctx, change) => retry(ctx, editor, change));
}

/** @throws AppError NOT_FOUND, CHANGED_ELSEWHERE if it has not failed, or others have decided */
export function dismissChange(ctx: Ctx, editor: inventory.Editor, id: string): Promise<InventoryChange> {
  return decide(ctx, id, async (ctx, change) => {
    await store.saveEnd(ctx, id, 'DISMISSED');
    await removeJob(ctx, jobKey(id));
    await recordFor(ctx, editor, change, 'CATALOGUE_CHANGE_DISMISSED');
  });
}

function decide(
  ctx: Ctx,
  id: string,
  act: (ctx: Ctx, change: store.ChangeRow) => Promise<void>,
): Promise<InventoryChange> {
  return ctx.tx(async (ctx) => {
    const change = requireChange(await store.lockChange(ctx, id));
    if (change.status !== 'FAILED') throw new AppError('CHANGED_ELSEWHERE');
    await act(ctx, change);
    ctx.changed(STAFF, 'staff-catalogue');
    return getChange(ctx, id);
  });
}

async function retry(ctx: Ctx, editor: inventory.Editor, change: store.ChangeRow): Promise<void> {
  await store.saveRetry(ctx, change.id);
  // Otherwise the runner would keep the failed job and the new one.
  await removeJob(ctx, jobKey(change.id));
  await enqueueJob(ctx, change.id);
  await recordFor(ctx, editor, change, 'CATALOGUE_CHANGE_RETRIED');
}

async function enqueueJob(ctx: Ctx, changeId: string): Promise<void> {
  await enqueue(ctx, 'proxies.change', { changeId }, { key: jobKey(changeId) });
}

const jobKey = (changeId: string) => `proxies.change:${changeId}`;

async function recordFor(
  ctx: Ctx,
  editor: inventory.Editor,
  { id, kind, rowCount }: store.ChangeRow,
  action: AuditEntry['action'],
): Promise<void> {
  const details = { changeId: id, kind, count: rowCount };
  await record(ctx, { action, ...editor, subject: { type: 'PROXY' }, details });
}

interface Attempt {
  onProgress?: inventory.OnProgress;
  /** The job will not be retried. */
  isLastAttempt?: boolean;
}

/** Runs the job of a change. Does nothing if the change has ended. @throws the error that made it fail */
export async function applyChange(
  ctx: Ctx,
  { changeId }: { changeId: string },
  { onProgress, isLastAttempt = false }: Attempt = {},
): Promise<void> {
  const reportFor =
    ({ actorId }: store.ChangeRow): inventory.OnProgress =>
    async (doneCount) => {
      // Null: the operator at the command line.
      if (actorId !== null && !(await mayStill(ctx, actorId, 'PROXIES_EDIT'))) throw new AppError('FORBIDDEN');
      await store.saveProgress(ctx, changeId, doneCount);
      ctx.changed(STAFF, 'staff-catalogue');
      await onProgress?.(doneCount);
    };
  try {
    await ctx.tx(
      async (ctx) => {
        await inventory.lock(ctx);
        const change = await store.findChange(ctx, changeId);
        if (!change || hasEnded(change)) return;
        const report = reportFor(change);
        await report(0);
        await applyNow(ctx, change, report);
        if (!(await store.saveEnd(ctx, changeId, 'DONE'))) throw new Error('The change was dismissed');
      },
      { timeLimitMs: TIME_LIMIT_MS },
    );
  } catch (error) {
    if (!(error instanceof AppError)) {
      const failure = hideSecrets(error instanceof Error ? error.message : String(error));
      await store.saveFailure(ctx, changeId, isLastAttempt ? 'FAILED' : 'WAITING', failure);
      throw error;
    }
    // Not retried: it would be refused again.
    await store.saveEnd(ctx, changeId, 'REFUSED');
  } finally {
    ctx.changed(STAFF, 'staff-catalogue');
  }
}

function hasEnded({ status }: store.ChangeRow): boolean {
  return status === 'DONE' || status === 'REFUSED' || status === 'DISMISSED';
}

/** Fails changes whose job has ended without recording a result: its last worker was killed, or could not parse it. */
export async function failAbandoned(ctx: Ctx): Promise<void> {
  for (const { id } of await store.listUnfinished(ctx)) {
    const job = await findProgress(ctx, 'proxies.change', { changeId: id });
    if (job?.isPending === true) continue;
    const { lastError = null } = job ?? {};
    await store.saveFailure(ctx, id, 'FAILED', lastError === null ? null : hideSecrets(lastError));
    ctx.changed(STAFF, 'staff-catalogue');
  }
}

function applyNow(ctx: Ctx, { kind, request, ...row }: store.ChangeRow, report: inventory.OnProgress): Promise<void> {
  const editor: inventory.Editor = { actorId: row.actorId ?? undefined, requester: row.requester ?? undefined };
  if (kind === 'IMPORT') return imports.applyImport(ctx, editor, requestSchemas.IMPORT.parse(request).importId, report);
  if (kind === 'PRICE') {
    const { change, ...seen } = requestSchemas.PRICE.parse(request);
    return inventory.changePrices(ctx, editor, seen, change, report);
  }
  const seen = requestSchemas[kind].parse(request);
  return kind === 'RETIRE' ? inventory.retire(ctx, editor, seen, report) : inventory.restore(ctx, editor, seen, report);
}

/** @throws AppError NOT_FOUND */
export async function getChange(ctx: Ctx, id: string): Promise<InventoryChange> {
  return present(requireChange(await store.findChange(ctx, id)));
}

function requireChange(row: store.ChangeRow | undefined): store.ChangeRow {
  if (!row) throw new AppError('NOT_FOUND', { thing: 'Change' });
  return row;
}

export async function listChanges(ctx: Ctx): Promise<InventoryChange[]> {
  return (await store.listNewest(ctx, INVENTORY_CHANGES_LISTED)).map(present);
}

function present({ id, kind, status, failure, createdAt, ...counts }: store.ChangeRow): InventoryChange {
  const { rowCount, doneCount, newCount } = counts;
  return { id, kind, status, rowCount, doneCount, newCount, failure, createdAt: createdAt.toISOString() };
}

export async function deleteOldChanges(ctx: Ctx): Promise<void> {
  await cleanUp(ctx, 'changes of the inventory', store.deleteOld);
}
