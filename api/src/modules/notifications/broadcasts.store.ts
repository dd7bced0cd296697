import type { LanguageCode } from '@cellhop/contract/schemas';
import type { Ctx } from '../../ctx.ts';
import type { NotificationText } from './notification-texts.ts';

/** HTML that has been sanitised. */
export type BroadcastTexts = Record<LanguageCode, NotificationText>;

export interface NewBroadcast {
  texts: BroadcastTexts;
  /** Null: readers of all languages. */
  languageCode: LanguageCode | null;
  /** Null: all users. */
  userIds: readonly string[] | null;
  createdBy: string | null;
}

export async function insertBroadcast(ctx: Ctx, broadcast: NewBroadcast): Promise<string> {
  const [row] = await ctx.db.query<{ id: string }>(
    `insert into broadcasts (texts, language_code, user_ids, created_by) values ($1, $2, $3, $4) returning id`,
    [JSON.stringify(broadcast.texts), broadcast.languageCode, broadcast.userIds, broadcast.createdBy],
  );
  return row!.id;
}

/**
 * Gives the broadcast to its next readers, in the order of their ids; to each once.
 * @param after the last reader so far; null at first
 */
export async function insertForReaders(
  ctx: Ctx,
  broadcastId: string,
  after: string | null,
  limit: number,
): Promise<string[]> {
  const rows = await ctx.db.query<{ userId: string }>(
    `with readers as (
       select users.id from users join broadcasts on broadcasts.id = $1
        where users.status = 'ACTIVE' and users.email_confirmed_at is not null
          and ($2::uuid is null or users.id > $2)
          and (broadcasts.language_code is null or users.language_code = broadcasts.language_code)
          and (broadcasts.user_ids is null or users.id = any(broadcasts.user_ids))
        order by users.id limit $3
     ), told as (
       insert into notifications (user_id, idempotency_key, kind, details, broadcast_id)
       select id, 'broadcast:' || $1::text, 'BROADCAST', '{}', $1 from readers
       on conflict (user_id, idempotency_key) do nothing
     )
     select id as "userId" from readers order by id`,
    [broadcastId, after, limit],
  );
  return rows.map((row) => row.userId);
}

export async function saveSent(ctx: Ctx, broadcastId: string): Promise<void> {
  await ctx.db.query('update broadcasts set sent_at = now() where id = $1', [broadcastId]);
}
