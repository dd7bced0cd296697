import type { Ctx } from '../../ctx.ts';
import type { Position, SealedRow } from '../../secrets/sealing.ts';

/** The next rows by creation time. Skips the newest, because concurrent transactions may still add rows before them. */
export function listSealed(ctx: Ctx, { createdAt, id }: Position, limit: number): Promise<SealedRow[]> {
  return ctx.db.query(
    `select created_at::text as "createdAt", sealed.id, parameters ->> 'host' || ':' || (parameters ->> 'port') as owner,
            credentials_encrypted as sealed
       from exit_credentials as sealed join readable_exits as exits on exits.id = sealed.id
      where (created_at, sealed.id) > ($1::timestamptz, $2::uuid)
        and created_at < now() - interval '1 minute'
      order by created_at, sealed.id limit $3`,
    [createdAt, id, limit],
  );
}

export async function countSealed(ctx: Ctx, { createdAt, id }: Position): Promise<number> {
  const [row] = await ctx.db.query<{ count: number }>(
    `select count(*)::float8 as count from exits
      where credentials_encrypted is not null and (created_at, id) > ($1::timestamptz, $2::uuid)`,
    [createdAt, id],
  );
  return row!.count;
}

export interface ResealedExit {
  id: string;
  before: Buffer;
  encrypted: Buffer;
  hash: Buffer;
}

/** The trigger of the table replaces the key together with the hash. Skips locked rows. @returns the ids of the saved rows */
export async function saveSealed(ctx: Ctx, rows: readonly ResealedExit[]): Promise<ReadonlySet<string>> {
  const saved = await ctx.db.query<{ id: string }>(
    `with change as (
       select * from unnest($1::uuid[], $2::bytea[], $3::bytea[], $4::bytea[]) as change (id, known, encrypted, hash)
     ), free as (
       select exits.id from exits join change on change.id = exits.id and known = credentials_encrypted
          for no key update of exits skip locked
     )
     update exits set credentials_encrypted = encrypted, credentials_hash = hash
       from change join free on free.id = change.id
      where exits.id = change.id
     returning exits.id`,
    [
      rows.map((row) => row.id),
      rows.map((row) => row.before),
      rows.map((row) => row.encrypted),
      rows.map((row) => row.hash),
    ],
  );
  return new Set(saved.map((row) => row.id));
}
