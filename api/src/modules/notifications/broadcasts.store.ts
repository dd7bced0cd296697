import type { LanguageCode } from '@cellhop/contract/schemas';
import type { NotificationText } from '@cellhop/contract/staff-notifications';
import type { Ctx } from '../../ctx.ts';
import { toOffset, type PageQuery } from '../../http/paging.ts';

/** Sanitized HTML. */
export type BroadcastTexts = Record<LanguageCode, NotificationText>;

/** Null: no restriction. */
export interface AudienceColumns {
  languageCode: LanguageCode | null;
  userIds: readonly string[] | null;
  hasOpenConnection: boolean | null;
  registeredFrom: Date | null;
  registeredBefore: Date | null;
}

export interface NewBroadcast extends AudienceColumns {
  texts: BroadcastTexts;
  createdBy: string;
  idempotencyKey: string | null;
}

export interface BroadcastRow extends AudienceColumns {
  id: string;
  texts: BroadcastTexts;
  createdBy: string | null;
  createdByEmail: string | null;
  createdAt: Date;
  readerCount: number;
  sentAt: Date | null;
}

const SELECT_BROADCAST = `
  select broadcasts.id, texts, broadcasts.language_code as "languageCode", user_ids as "userIds",
         has_open_connection as "hasOpenConnection", registered_from as "registeredFrom",
         registered_before as "registeredBefore", created_by as "createdBy", email as "createdByEmail",
         broadcasts.created_at as "createdAt", reader_count as "readerCount", sent_at as "sentAt"
    from broadcasts left join readable_users as users on users.id = created_by`;

/** @returns undefined if the author has already used the key */
export async function insertBroadcast(ctx: Ctx, broadcast: NewBroadcast): Promise<string | undefined> {
  const [row] = await ctx.db.query<{ id: string }>(
    `insert into broadcasts (texts, language_code, user_ids, has_open_connection, registered_from, registered_before,
                             created_by, idempotency_key)
     values ($1, $2, $3, $4, $5, $6, $7, $8)
     on conflict (created_by, idempotency_key) where idempotency_key is not null do nothing returning id`,
    [
      JSON.stringify(broadcast.texts),
      broadcast.languageCode,
      broadcast.userIds,
      broadcast.hasOpenConnection,
      broadcast.registeredFrom,
      broadcast.registeredBefore,
      broadcast.createdBy,
      broadcast.idempotencyKey,
    ],
  );
  return row?.id;
}

export async function findBroadcast(ctx: Ctx, id: string): Promise<BroadcastRow | undefined> {
  const [row] = await ctx.db.query<BroadcastRow>(`${SELECT_BROADCAST} where broadcasts.id = $1`, [id]);
  return row;
}

export async function findByKey(ctx: Ctx, createdBy: string, key: string | null): Promise<BroadcastRow | undefined> {
  const [row] = await ctx.db.query<BroadcastRow>(`${SELECT_BROADCAST} where created_by = $1 and idempotency_key = $2`, [
    createdBy,
    key,
  ]);
  return row;
}

export function listBroadcasts(ctx: Ctx, page: PageQuery): Promise<BroadcastRow[]> {
  return ctx.db.query(`${SELECT_BROADCAST} order by broadcasts.created_at desc, broadcasts.id limit $1 offset $2`, [
    page.size,
    toOffset(page),
  ]);
}

export async function countBroadcasts(ctx: Ctx): Promise<number> {
  const [row] = await ctx.db.query<{ count: number }>('select count(*)::int as count from broadcasts');
  return row!.count;
}

/** @returns how many of these users exist */
export async function countUsers(ctx: Ctx, ids: readonly string[]): Promise<number> {
  const [row] = await ctx.db.query<{ count: number }>(
    'select count(*)::int as count from readable_users where id = any($1::uuid[])',
    [ids],
  );
  return row!.count;
}

/**
 * Delivers the broadcast to the next recipients in the order of their ids, once to each.
 * @param after the last recipient so far; null for the first batch
 * @returns the ids of this batch
 */
export async function insertForRecipients(
  ctx: Ctx,
  broadcastId: string,
  after: string | null,
  limit: number,
): Promise<string[]> {
  const rows = await ctx.db.query<{ userId: string }>(
    `with recipients as (
       select users.id from readable_users as users join broadcasts on broadcasts.id = $1
        where users.status = 'ACTIVE' and users.email_confirmed_at is not null
          and ($2::uuid is null or users.id > $2)
          and (broadcasts.language_code is null or users.language_code = broadcasts.language_code)
          and (broadcasts.user_ids is null or users.id = any(broadcasts.user_ids))
          and (registered_from is null or users.created_at >= registered_from)
          and (registered_before is null or users.created_at < registered_before)
          and (has_open_connection is null or has_open_connection =
               exists (select from readable_connections as connections
                        where user_id = users.id and connections.status = 'WORK'))
        order by users.id limit $3
     ), delivered as (
       insert into notifications (user_id, idempotency_key, kind, details, broadcast_id)
       select id, 'broadcast:' || $1::text, 'BROADCAST', '{}', $1 from recipients
       on conflict (user_id, idempotency_key) do nothing returning id
     ), counted as (
       update broadcasts set reader_count = reader_count + (select count(*) from delivered) where id = $1
     )
     select id as "userId" from recipients order by id`,
    [broadcastId, after, limit],
  );
  return rows.map((row) => row.userId);
}

export async function saveSent(ctx: Ctx, broadcastId: string): Promise<void> {
  await ctx.db.query('update broadcasts set sent_at = now() where id = $1', [broadcastId]);
}
