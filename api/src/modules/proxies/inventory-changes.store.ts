import type { PriceChange } from '@cellhop/contract/staff/inventory';
import type { InventoryChangeKind, InventoryChangeStatus } from '@cellhop/contract/staff/inventory.values';
import type { Ctx } from '../../ctx.ts';
import type { Requester } from '../../http/requester.ts';
import type { SeenProxies } from './inventory-filter.ts';

/** Stored as JSON. */
export type ChangeRequest =
  | { kind: 'PRICE'; request: SeenProxies & { change: PriceChange } }
  | { kind: 'RETIRE' | 'RESTORE'; request: SeenProxies }
  | { kind: 'IMPORT'; request: { importId: string } };

export interface ChangeRow {
  id: string;
  kind: InventoryChangeKind;
  actorId: string | null;
  requester: Requester | null;
  request: unknown;
  rowCount: number;
  doneCount: number;
  newCount: number | null;
  status: InventoryChangeStatus;
  /** The error of the last attempt. */
  failure: string | null;
  createdAt: Date;
}

const SELECT_CHANGE = `
  select id, kind, actor_id as "actorId", requester, request, row_count as "rowCount", done_count as "doneCount",
         new_count as "newCount", status, failure, created_at as "createdAt"
    from catalogue_changes`;

export interface NewChange {
  actorId: string | null;
  requester: Requester | null;
  rowCount: number;
  newCount: number | null;
}

/** @returns the id of the change; `isNew` is false if the same one was ordered before and has not ended */
export async function insertChange(
  ctx: Ctx,
  { kind, request }: ChangeRequest,
  { actorId, requester, rowCount, newCount }: NewChange,
): Promise<{ id: string; isNew: boolean }> {
  const [row] = await ctx.db.query<{ id: string; isNew: boolean }>(
    `insert into catalogue_changes (kind, actor_id, requester, request, row_count, new_count)
     values ($1, $2, $3, $4, $5, $6)
     on conflict (coalesce(actor_id, '00000000-0000-0000-0000-000000000000'), kind, md5(request::text)) where ended_at is null
       do update set row_count = catalogue_changes.row_count
     returning id, xmax = 0 as "isNew"`,
    [kind, actorId, requester === null ? null : JSON.stringify(requester), JSON.stringify(request), rowCount, newCount],
  );
  return row!;
}

export async function findChange(ctx: Ctx, id: string): Promise<ChangeRow | undefined> {
  const [row] = await ctx.db.query<ChangeRow>(`${SELECT_CHANGE} where id = $1`, [id]);
  return row;
}

/** Locks the change against a concurrent retry or dismissal until the end of the transaction. */
export async function lockChange(ctx: Ctx, id: string): Promise<ChangeRow | undefined> {
  const [row] = await ctx.db.query<ChangeRow>(`${SELECT_CHANGE} where id = $1 for update`, [id]);
  return row;
}

/** Changes that are not applied yet. */
export function listUnfinished(ctx: Ctx): Promise<ChangeRow[]> {
  return ctx.db.query(`${SELECT_CHANGE} where ended_at is null and status <> 'FAILED'`);
}

export function listNewest(ctx: Ctx, limit: number): Promise<ChangeRow[]> {
  return ctx.db.query(`${SELECT_CHANGE} order by created_at desc, id limit $1`, [limit]);
}

/** Changes nothing after the end: a repeated job may report late. */
export async function saveProgress(ctx: Ctx, id: string, doneCount: number): Promise<void> {
  await ctx.db.query(
    `update catalogue_changes set status = 'RUNNING', done_count = $2, failure = null where id = $1 and ended_at is null`,
    [id, doneCount],
  );
}

/** Records a failed attempt, which has changed nothing. @param status WAITING if it will be retried */
export async function saveFailure(
  ctx: Ctx,
  id: string,
  status: 'WAITING' | 'FAILED',
  failure: string | null,
): Promise<void> {
  await ctx.db.query(
    `update catalogue_changes set status = $2, done_count = 0, failure = $3 where id = $1 and ended_at is null`,
    [id, status, failure],
  );
}

export async function saveRetry(ctx: Ctx, id: string): Promise<void> {
  await ctx.db.query(`update catalogue_changes set status = 'WAITING', failure = null where id = $1`, [id]);
}

/** @returns false if it had already ended */
export async function saveEnd(ctx: Ctx, id: string, status: 'DONE' | 'REFUSED' | 'DISMISSED'): Promise<boolean> {
  const rows = await ctx.db.query(
    `update catalogue_changes
        set status = $2, ended_at = now(), done_count = case when $2 = 'DONE' then row_count else 0 end
      where id = $1 and ended_at is null returning id`,
    [id, status],
  );
  return rows.length > 0;
}

/** Deletes ended and failed changes that are more than a month old. */
export async function deleteOld(ctx: Ctx, limit: number): Promise<number> {
  const rows = await ctx.db.query(
    `delete from catalogue_changes where id in (
       select id from catalogue_changes where created_at < now() - interval '30 days' and (ended_at is not null or status = 'FAILED') limit $1
     ) returning id`,
    [limit],
  );
  return rows.length;
}
