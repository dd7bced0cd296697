import type { Ctx } from '../../ctx.ts';
import type { Position, SealedRow } from '../../sealing.ts';

/** The next rows in the order of their creation; the youngest wait until the transactions beside them have ended. */
export function listSealed(ctx: Ctx, { createdAt, id }: Position, limit: number): Promise<SealedRow[]> {
  return ctx.db.query(
    `select created_at::text as "createdAt", id, id::text as owner, password_encrypted as sealed from connections
      where (created_at, id) > ($1::timestamptz, $2::uuid) and created_at < now() - interval '1 minute'
      order by created_at, id limit $3`,
    [createdAt, id, limit],
  );
}

export async function countSealed(ctx: Ctx, { createdAt, id }: Position): Promise<number> {
  const [row] = await ctx.db.query<{ count: number }>(
    'select count(*)::float8 as count from connections where (created_at, id) > ($1::timestamptz, $2::uuid)',
    [createdAt, id],
  );
  return row!.count;
}

export interface ResealedPassword {
  id: string;
  before: Buffer;
  encrypted: Buffer;
  hash: Buffer;
}

/**
 * Without the lock of the payer's account: nothing that is charged for changes. A row that somebody else has locked is passed over, so
 * this never waits while it holds locks itself.
 * @returns the ids of the rows that were saved
 */
export async function saveSealed(ctx: Ctx, rows: readonly ResealedPassword[]): Promise<ReadonlySet<string>> {
  const saved = await ctx.db.query<{ id: string }>(
    `with change as (
       select * from unnest($1::uuid[], $2::bytea[], $3::bytea[], $4::bytea[]) as change (id, before, encrypted, hash)
     ), free as (
       select connections.id from connections join change on change.id = connections.id and before = password_encrypted
          for no key update of connections skip locked
     )
     update connections set password_encrypted = encrypted, password_hash = hash
       from change join free on free.id = change.id
      where connections.id = change.id
      returning connections.id`,
    [
      rows.map((row) => row.id),
      rows.map((row) => row.before),
      rows.map((row) => row.encrypted),
      rows.map((row) => row.hash),
    ],
  );
  return new Set(saved.map((row) => row.id));
}
