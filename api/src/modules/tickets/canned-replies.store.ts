import type { CannedReplyBody } from '@cellhop/contract/staff/canned-replies';
import type { Ctx } from '../../ctx.ts';

export interface CannedReplyRow {
  id: string;
  title: string;
  contentEn: string;
  contentRu: string;
  version: number;
  updatedAt: Date;
}

const COLUMNS = `id, title, content_en as "contentEn", content_ru as "contentRu", version, updated_at as "updatedAt"`;

export function listReplies(ctx: Ctx, limit: number): Promise<CannedReplyRow[]> {
  return ctx.db.query(`select ${COLUMNS} from canned_replies order by title, id limit $1`, [limit]);
}

export async function lockReply(ctx: Ctx, id: string): Promise<CannedReplyRow | undefined> {
  const [row] = await ctx.db.query<CannedReplyRow>(`select ${COLUMNS} from canned_replies where id = $1 for update`, [
    id,
  ]);
  return row;
}

export async function findReplyByKey(
  ctx: Ctx,
  authorId: string,
  key: string | null,
): Promise<CannedReplyRow | undefined> {
  const [row] = await ctx.db.query<CannedReplyRow>(
    `select ${COLUMNS} from canned_replies where author_id = $1 and idempotency_key = $2`,
    [authorId, key],
  );
  return row;
}

/** @returns undefined if the author has already used the key */
export async function insertReply(
  ctx: Ctx,
  { title, contentEn, contentRu }: CannedReplyBody,
  authorId: string,
  key: string | null,
): Promise<CannedReplyRow | undefined> {
  const [row] = await ctx.db.query<CannedReplyRow>(
    `insert into canned_replies (title, content_en, content_ru, author_id, idempotency_key) values ($1, $2, $3, $4, $5)
     on conflict (author_id, idempotency_key) where idempotency_key is not null do nothing returning ${COLUMNS}`,
    [title, contentEn, contentRu, authorId, key],
  );
  return row;
}

/** Serializes additions until the end of the transaction, so that the limit holds. */
export async function lockAndCountReplies(ctx: Ctx): Promise<number> {
  await ctx.db.query('lock table canned_replies in share row exclusive mode');
  const [row] = await ctx.db.query<{ count: number }>('select count(*)::int as count from canned_replies');
  return row!.count;
}

export async function updateReply(
  ctx: Ctx,
  id: string,
  { title, contentEn, contentRu }: CannedReplyBody,
): Promise<CannedReplyRow> {
  const [row] = await ctx.db.query<CannedReplyRow>(
    `update canned_replies set title = $2, content_en = $3, content_ru = $4, version = version + 1, updated_at = now()
      where id = $1 returning ${COLUMNS}`,
    [id, title, contentEn, contentRu],
  );
  return row!;
}

export async function deleteReply(ctx: Ctx, id: string): Promise<void> {
  await ctx.db.query('delete from canned_replies where id = $1', [id]);
}
