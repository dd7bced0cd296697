import type { Ctx } from '../../ctx.ts';
import type { Position, ResealedBatch } from '../../secrets/sealing.ts';

/** Inserts the progress row, or resets it if the newest key has changed. */
export async function ensureProgress(ctx: Ctx, kind: string, keyId: string): Promise<void> {
  await ctx.db.query(
    `insert into resealings as resealing (kind, key_id) values ($1, $2)
     on conflict (kind) do update
       set key_id = excluded.key_id, row_created_at = default, row_id = default, resealed_count = 0,
           unreadable_count = 0, remaining_count = null, updated_at = now()
     where resealing.key_id <> excluded.key_id`,
    [kind, keyId],
  );
}

export interface Progress {
  position: Position;
  remainingCount: number | null;
}

/** @returns undefined while another worker has it locked */
export async function lockProgress(ctx: Ctx, kind: string, keyId: string): Promise<Progress | undefined> {
  const [row] = await ctx.db.query<Position & { remainingCount: number | null }>(
    `select row_created_at::text as "createdAt", row_id as id, remaining_count::float8 as "remainingCount"
       from resealings where kind = $1 and key_id = $2 for update skip locked`,
    [kind, keyId],
  );
  return row && { position: { createdAt: row.createdAt, id: row.id }, remainingCount: row.remainingCount };
}

export async function saveProgress(
  ctx: Ctx,
  kind: string,
  { position, resealedCount, unreadableCount, remainingCount }: ResealedBatch & { remainingCount: number },
): Promise<void> {
  await ctx.db.query(
    `update resealings
        set row_created_at = $2, row_id = $3, resealed_count = resealed_count + $4,
            unreadable_count = unreadable_count + $5, remaining_count = $6, updated_at = now()
      where kind = $1`,
    [kind, position.createdAt, position.id, resealedCount, unreadableCount, remainingCount],
  );
}

/** For secrets that are hashed and cannot be encrypted again. */
export async function saveCount(ctx: Ctx, kind: string, keyId: string, remainingCount: number): Promise<void> {
  await ctx.db.query(
    `insert into resealings (kind, key_id, remaining_count) values ($1, $2, $3)
     on conflict (kind) do update set key_id = excluded.key_id, remaining_count = excluded.remaining_count, updated_at = now()`,
    [kind, keyId, remainingCount],
  );
}

export interface ProgressRow {
  kind: string;
  remainingCount: number | null;
  unreadableCount: number;
}

export function listProgress(ctx: Ctx, keyId: string): Promise<ProgressRow[]> {
  return ctx.db.query(
    `select kind, remaining_count::float8 as "remainingCount", unreadable_count::float8 as "unreadableCount"
       from resealings where key_id = $1`,
    [keyId],
  );
}
