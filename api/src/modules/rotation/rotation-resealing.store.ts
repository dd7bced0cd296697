import type { Ctx } from '../../ctx.ts';
import type { LinkedExit } from '../../secrets/rotation-links.ts';
import type { Position, SealedRow } from '../../secrets/sealing.ts';

/** The next rows by creation time. Skips the newest, because concurrent transactions may still add rows before them. */
export function listSealed(
  ctx: Ctx,
  { createdAt, id }: Position,
  limit: number,
): Promise<(Omit<SealedRow, 'owner'> & LinkedExit)[]> {
  return ctx.db.query(
    `select created_at::text as "createdAt", exit_id as id, kind as "exitKind", parameters, link_encrypted as sealed
       from exit_rotations join readable_exits as exits on exits.id = exit_id
      where (created_at, exit_id) > ($1::timestamptz, $2::uuid) and created_at < now() - interval '1 minute'
      order by created_at, exit_id limit $3`,
    [createdAt, id, limit],
  );
}

export async function countSealed(ctx: Ctx, { createdAt, id }: Position): Promise<number> {
  const [row] = await ctx.db.query<{ count: number }>(
    'select count(*)::float8 as count from exit_rotations where (created_at, exit_id) > ($1::timestamptz, $2::uuid)',
    [createdAt, id],
  );
  return row!.count;
}

/** Skips locked rows. @returns the ids of the saved rows */
export async function saveSealed(
  ctx: Ctx,
  rows: readonly { id: string; before: Buffer; encrypted: Buffer }[],
): Promise<ReadonlySet<string>> {
  const saved = await ctx.db.query<{ id: string }>(
    `with change as (
       select * from unnest($1::uuid[], $2::bytea[], $3::bytea[]) as change (id, known, encrypted)
     ), free as (
       select exit_id from exit_rotations join change on change.id = exit_id and known = link_encrypted
          for no key update of exit_rotations skip locked
     )
     update exit_rotations set link_encrypted = encrypted from change join free on free.exit_id = change.id
      where exit_rotations.exit_id = change.id returning exit_rotations.exit_id as id`,
    [rows.map((row) => row.id), rows.map((row) => row.before), rows.map((row) => row.encrypted)],
  );
  return new Set(saved.map((row) => row.id));
}
