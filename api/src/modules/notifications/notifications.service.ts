/** What users are told: raised in the transaction of the event, once per event, and said in the reader's language. */
import { NOTIFICATIONS_MAX } from '@cellhop/contract/limits';
import type { Notification } from '@cellhop/contract/notifications';
import type { LanguageCode } from '@cellhop/contract/schemas';
import type { Actor } from '../../actor.ts';
import { cleanUp } from '../../clean-up.ts';
import type { Ctx } from '../../ctx.ts';
import { toTotalPages, type PageQuery } from '../../http/paging.ts';
import { describeNotice, type Notice } from './notification-texts.ts';
import * as store from './notifications.store.ts';

export type NewNotification = store.NewNotification;

const RETENTION_DAYS = 90;
/** The sweep comes every hour; a late one still finds everybody. */
const SURPLUS_WINDOW_HOURS = 24;

/**
 * Tells a user something, in the caller's transaction.
 * @param idempotencyKey one per business event, as in the ledger: the same event told again changes nothing
 */
export function notify(ctx: Ctx, userId: string, idempotencyKey: string, notice: Notice): Promise<void> {
  return notifyAll(ctx, [{ userId, idempotencyKey, notice }]);
}

export async function notifyAll(ctx: Ctx, all: readonly NewNotification[]): Promise<void> {
  if (all.length === 0) return;
  for (const userId of await store.insertNotifications(ctx, all)) ctx.changed({ userId }, 'notifications');
}

/** Whose notifications they are. */
type Reader = Pick<Actor, 'userId' | 'languageCode'>;

export async function listOwn(ctx: Ctx, { userId, languageCode }: Reader, page: PageQuery) {
  const [rows, { count, unreadCount }] = await Promise.all([
    store.listNotifications(ctx, userId, page),
    store.countNotifications(ctx, userId),
  ]);
  return { data: rows.map((row) => present(row, languageCode)), totalPages: toTotalPages(count, page), unreadCount };
}

/** @returns how many are still unread */
export async function markRead(ctx: Ctx, { userId }: Actor, ids: readonly string[]): Promise<number> {
  if (await store.markRead(ctx, userId, ids)) ctx.changed({ userId }, 'notifications');
  return (await store.countNotifications(ctx, userId)).unreadCount;
}

/** Keeps 90 days, and of each user the newest ones. */
export async function deleteOldNotifications(ctx: Ctx): Promise<void> {
  await cleanUp(ctx, 'old notifications', (ctx, limit) => store.deleteOlder(ctx, RETENTION_DAYS, limit));
  await cleanUp(ctx, 'surplus notifications', (ctx, limit) =>
    store.deleteSurplus(ctx, SURPLUS_WINDOW_HOURS, NOTIFICATIONS_MAX, limit),
  );
}

export function present(row: store.NotificationRow, languageCode: LanguageCode): Notification {
  const text = row.kind === 'BROADCAST' ? row.texts![languageCode] : describeNotice(languageCode, row);
  return {
    id: row.id,
    description: text.description,
    content: text.content ?? null,
    createdAt: row.createdAt.toISOString(),
    isRead: row.isRead,
  };
}
