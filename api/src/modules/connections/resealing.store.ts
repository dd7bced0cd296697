import type { Ctx } from '../../ctx.ts';
import type { Position, SealedRow } from '../../secrets/sealing.ts';

/** The next rows by creation time. Skips the newest, because concurrent transactions may still add rows before them. */
export function listSealed(ctx: Ctx, { createdAt, id }: Position, limit: number): Promise<SealedRow[]> {
  return ctx.db.query(
    `select created_at::text as "createdAt", id, id::text as owner, password_encrypted as sealed from connection_credentials
      where (created_at, id) > ($1::timestamptz, $2::uuid) and created_at < now() - interval '1 minute'
      order by created_at, id limit $3`,
    [createdAt, id, limit],
  );
}

export async function countSealed(ctx: Ctx, { createdAt, id }: Position): Promise<number> {
  const [row] = await ctx.db.query<{ count: number }>(
    'select count(*)::float8 as count from connection_credentials where (created_at, id) > ($1::timestamptz, $2::uuid)',
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

/** Skips locked rows (api/sql/reseal_passwords.sql). @returns the ids of the saved rows */
export async function saveSealed(ctx: Ctx, rows: readonly ResealedPassword[]): Promise<ReadonlySet<string>> {
  const saved = await ctx.db.query<{ id: string }>('select reseal_passwords($1, $2, $3, $4) as id', [
    rows.map((row) => row.id),
    rows.map((row) => row.before),
    rows.map((row) => row.encrypted),
    rows.map((row) => row.hash),
  ]);
  return new Set(saved.map((row) => row.id));
}
