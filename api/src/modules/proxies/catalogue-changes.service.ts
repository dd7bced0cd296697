/**
 * Bulk changes and imports of the catalogue. A request orders one, a job applies it: in one transaction, so that customers never see a part
 * of it, and a job that is cut off and repeated applies it once. The progress is written outside of the transaction.
 */
import { AppError } from '@cellhop/contract/errors';
import { CATALOGUE_CHANGES_LISTED } from '@cellhop/contract/limits';
import { inventoryFilterSchema, priceChangeSchema, type CatalogueChange } from '@cellhop/contract/staff/inventory';
import { z } from 'zod';
import { cleanUp } from '../../clean-up.ts';
import type { Ctx } from '../../ctx.ts';
import { enqueue } from '../../jobs.ts';
import { STAFF } from '../../live/changes.ts';
import { record } from '../audit-log/audit-log.service.ts';
import * as store from './catalogue-changes.store.ts';
import * as imports from './imports.service.ts';
import * as inventory from './inventory.service.ts';

/** Of one statement: the lock waits for the change before. */
const TIME_LIMIT_MS = 120_000;

export type { ChangeRequest } from './catalogue-changes.store.ts';

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
 * Orders a change. The same order again, before it has ended, returns the same change.
 * @throws AppError CHANGED_ELSEWHERE if the proxies are not those that were seen, NOT_FOUND
 */
export async function orderChange(
  ctx: Ctx,
  editor: inventory.Editor,
  order: store.ChangeRequest,
): Promise<CatalogueChange> {
  const actorId = editor.actorId ?? null;
  const counts =
    order.kind === 'IMPORT'
      ? await imports.checkOrder(ctx, editor, order.request.importId)
      : { rowCount: await inventory.requireSame(ctx, order.request), newCount: null };
  return ctx.tx(async (ctx) => {
    const change = { actorId, requester: editor.requester ?? null, ...counts };
    const { id, isNew } = await store.insertChange(ctx, order, change);
    if (isNew) {
      await enqueue(ctx, 'proxies.change', { changeId: id });
      await record(ctx, {
        action: 'CATALOGUE_CHANGE_ORDERED',
        ...editor,
        subject: { type: 'PROXY' },
        details: { changeId: id, kind: order.kind, count: counts.rowCount },
      });
    }
    ctx.changed(STAFF, 'staff-catalogue');
    return present((await store.findChange(ctx, id))!);
  });
}

/** The job. Does nothing if the change has ended. */
export async function applyChange(
  ctx: Ctx,
  { changeId }: { changeId: string },
  onProgress: inventory.OnProgress = async () => {},
): Promise<void> {
  const report: inventory.OnProgress = async (doneCount) => {
    await store.saveProgress(ctx, changeId, doneCount);
    ctx.changed(STAFF, 'staff-catalogue');
    await onProgress(doneCount);
  };
  try {
    await ctx.tx(
      async (ctx) => {
        await inventory.lock(ctx);
        const change = await store.findChange(ctx, changeId);
        if (!change || change.status === 'DONE' || change.status === 'REFUSED') return;
        await report(0);
        await applyNow(ctx, change, report);
        await store.saveEnd(ctx, changeId, 'DONE');
      },
      { timeLimitMs: TIME_LIMIT_MS },
    );
  } catch (error) {
    // Nothing was changed, and a repeat would be refused too.
    if (!(error instanceof AppError)) throw error;
    await store.saveEnd(ctx, changeId, 'REFUSED');
  }
  ctx.changed(STAFF, 'staff-catalogue');
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
export async function getChange(ctx: Ctx, id: string): Promise<CatalogueChange> {
  const row = await store.findChange(ctx, id);
  if (!row) throw new AppError('NOT_FOUND', { thing: 'Change' });
  return present(row);
}

export async function listChanges(ctx: Ctx): Promise<CatalogueChange[]> {
  return (await store.listNewest(ctx, CATALOGUE_CHANGES_LISTED)).map(present);
}

function present({ id, kind, status, rowCount, doneCount, newCount, createdAt }: store.ChangeRow): CatalogueChange {
  return { id, kind, status, rowCount, doneCount, newCount, createdAt: createdAt.toISOString() };
}

export async function deleteOldChanges(ctx: Ctx): Promise<void> {
  await cleanUp(ctx, 'changes of the catalogue', store.deleteOld);
}
