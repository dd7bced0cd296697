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

/** The same of links of connections. */
export function listSecrets(ctx: Ctx, { createdAt, id }: Position, limit: number): Promise<SealedRow[]> {
  return ctx.db.query(
    `select created_at::text as "createdAt", connection_id as id, connection_id::text as owner, secret_encrypted as sealed
       from connection_rotations
      where secret_encrypted is not null and (created_at, connection_id) > ($1::timestamptz, $2::uuid)
        and created_at < now() - interval '1 minute'
      order by created_at, connection_id limit $3`,
    [createdAt, id, limit],
  );
}

export const countSealed = countingIn('exit_rotations', 'exit_id', 'link_encrypted');
export const countSecrets = countingIn('connection_rotations', 'connection_id', 'secret_encrypted');
export const saveSealed = savingIn('exit_rotations', 'exit_id', 'link_encrypted');
export const saveSecrets = savingIn('connection_rotations', 'connection_id', 'secret_encrypted');

function countingIn(table: string, id: string, column: string) {
  const text = `select count(*)::float8 as count from ${table} where ${column} is not null and (created_at, ${id}) > ($1::timestamptz, $2::uuid)`;
  return async (ctx: Ctx, after: Position): Promise<number> =>
    (await ctx.db.query<{ count: number }>(text, [after.createdAt, after.id]))[0]!.count;
}

/** Skips locked rows. @returns a function that returns the ids of the saved rows */
function savingIn(table: string, id: string, column: string) {
  const text = `
    with change as (
      select * from unnest($1::uuid[], $2::bytea[], $3::bytea[]) as change (id, known, encrypted)
    ), free as (
      select ${id} as id from ${table} join change on change.id = ${id} and known = ${column} for no key update of ${table} skip locked
    )
    update ${table} set ${column} = encrypted from change join free using (id) where ${table}.${id} = change.id returning ${table}.${id} as id`;
  return async (
    ctx: Ctx,
    rows: readonly { id: string; before: Buffer; encrypted: Buffer }[],
  ): Promise<ReadonlySet<string>> => {
    const values = [rows.map((row) => row.id), rows.map((row) => row.before), rows.map((row) => row.encrypted)];
    const saved = await ctx.db.query<{ id: string }>(text, values);
    return new Set(saved.map((row) => row.id));
  };
}
