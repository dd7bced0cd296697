import type { Ctx } from '../../ctx.ts';
import { toOffset, type PageQuery } from '../../http/paging.ts';
import type { BroadcastTexts } from './broadcasts.store.ts';
import type { NotificationEvent } from './notification-texts.ts';

/** For a broadcast only a reference is stored. */
type StoredEvent = NotificationEvent | { kind: 'BROADCAST'; details: unknown };

export type NotificationRow = StoredEvent & {
  id: string;
  createdAt: Date;
  isRead: boolean;
  /** Null unless it is a broadcast. */
  texts: BroadcastTexts | null;
};

export interface NewNotification {
  userId: string;
  idempotencyKey: string;
  event: NotificationEvent;
}

/** Ignores known keys. @returns the users with a new notification */
export async function insertNotifications(ctx: Ctx, all: readonly NewNotification[]): Promise<string[]> {
  const rows = await ctx.db.query<{ userId: string }>(
    `insert into notifications (user_id, idempotency_key, kind, details)
     select * from unnest($1::uuid[], $2::text[], $3::text[], $4::jsonb[])
     on conflict (user_id, idempotency_key) do nothing
     returning user_id as "userId"`,
    [
      all.map(({ userId }) => userId),
      all.map(({ idempotencyKey }) => idempotencyKey),
      all.map(({ event }) => event.kind),
      all.map(({ event }) => JSON.stringify(event.details)),
    ],
  );
  return rows.map((row) => row.userId);
}

/** Inserts a message of staff to one user. @returns false if its author has already used the key */
export async function insertMessage(ctx: Ctx, { userId, idempotencyKey, event }: NewNotification): Promise<boolean> {
  const rows = await ctx.db.query(
    `insert into notifications (user_id, idempotency_key, kind, details) values ($1, $2, $3, $4)
     on conflict do nothing returning id`,
    [userId, idempotencyKey, event.kind, JSON.stringify(event.details)],
  );
  return rows.length > 0;
}

export async function findMessage(
  ctx: Ctx,
  idempotencyKey: string,
): Promise<(NotificationRow & { userId: string }) | undefined> {
  const [row] = await ctx.db.query<NotificationRow & { userId: string }>(
    `select id, user_id as "userId", kind, details, null as texts, created_at as "createdAt",
            read_at is not null as "isRead"
       from notifications where idempotency_key = $1 and kind = 'MESSAGE'`,
    [idempotencyKey],
  );
  return row;
}

export function listNotifications(ctx: Ctx, userId: string, page: PageQuery): Promise<NotificationRow[]> {
  return ctx.db.query(
    `select notifications.id, kind, details, texts, notifications.created_at as "createdAt",
            read_at is not null as "isRead"
       from notifications left join broadcasts on broadcasts.id = broadcast_id
      where user_id = $1 order by notifications.created_at desc, notifications.id limit $2 offset $3`,
    [userId, page.size, toOffset(page)],
  );
}

export async function countNotifications(ctx: Ctx, userId: string): Promise<{ count: number; unreadCount: number }> {
  const [row] = await ctx.db.query<{ count: number; unreadCount: number }>(
    `select count(*)::int as count, (count(*) filter (where read_at is null))::int as "unreadCount"
       from notifications where user_id = $1`,
    [userId],
  );
  return row!;
}

export interface RecentTests {
  count: number;
  /** Until the oldest of them leaves the hour. */
  untilFewerSeconds: number;
}

/** Tests of broadcasts that a member of staff has sent to themselves within the last hour. @param prefix of their keys */
export async function countRecentTests(ctx: Ctx, userId: string, prefix: string): Promise<RecentTests> {
  const [row] = await ctx.db.query<RecentTests>(
    `select count(*)::int as count,
            coalesce(ceil(extract(epoch from min(created_at) + interval '1 hour' - now())), 0)::int as "untilFewerSeconds"
       from notifications
      where user_id = $1 and created_at > now() - interval '1 hour' and starts_with(idempotency_key, $2)`,
    [userId, prefix],
  );
  return row!;
}

/** @returns whether any of them was unread */
export async function markRead(ctx: Ctx, userId: string, ids: readonly string[]): Promise<boolean> {
  const rows = await ctx.db.query(
    `update notifications set read_at = now()
      where user_id = $1 and id = any($2::uuid[]) and read_at is null returning id`,
    [userId, ids],
  );
  return rows.length > 0;
}

/** @returns the number of deleted rows, at most `limit` */
export async function deleteOlder(ctx: Ctx, days: number, limit: number): Promise<number> {
  const rows = await ctx.db.query(
    `delete from notifications where id in (
       select id from notifications where created_at < now() - $1 * interval '1 day' order by created_at limit $2
     ) returning id`,
    [days, limit],
  );
  return rows.length;
}

/** Checks only users with a notification in the last hours, because only they can have too many. */
export async function deleteSurplus(ctx: Ctx, hours: number, maximum: number, limit: number): Promise<number> {
  const rows = await ctx.db.query(
    `delete from notifications using (
       select surplus.id
         from (select distinct user_id from notifications where created_at > now() - $1 * interval '1 hour') as recent
        cross join lateral (
          select id from notifications where notifications.user_id = recent.user_id
           order by created_at desc, id offset $2
        ) as surplus
        limit $3
     ) as gone where notifications.id = gone.id returning gone.id`,
    [hours, maximum, limit],
  );
  return rows.length;
}
