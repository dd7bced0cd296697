/**
 * Notifications: inserted in the transaction of the event, once per event, and rendered in the reader's language; and messages of staff
 * to a user.
 */
import { AppError } from '@cellhop/contract/errors';
import { NOTICE_DAYS, NOTIFICATIONS_MAX } from '@cellhop/contract/limits';
import type { Notification } from '@cellhop/contract/notifications';
import type { LanguageCode } from '@cellhop/contract/schemas';
import type { NotifyUserBody } from '@cellhop/contract/staff/notifications';
import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Actor } from '../../http/actor.ts';
import { cleanUp } from '../../db/clean-up.ts';
import type { Ctx } from '../../ctx.ts';
import { toTotalPages, type PageQuery } from '../../http/paging.ts';
import type { Requester } from '../../http/requester.ts';
import { requireSameRequest } from '../../db/refusals.ts';
import { record } from '../audit-log/audit-log.service.ts';
import * as users from '../users/users.service.ts';
import { renderNotification, trialText, type NotificationEvent } from './notification-texts.ts';
import * as store from './notifications.store.ts';
import { sanitizeText } from './sanitise-html.ts';

export type NewNotification = store.NewNotification;
export type NotificationRow = store.NotificationRow;

/** Longer than the hourly interval, so that a late run finds all users too. */
const SURPLUS_WINDOW_HOURS = 24;

/**
 * Notifies a user, in the caller's transaction.
 * @param idempotencyKey one per business event, as in the ledger, so that a repetition changes nothing
 */
export async function notify(
  ctx: Ctx,
  userId: string,
  idempotencyKey: string,
  event: NotificationEvent,
): Promise<void> {
  await notifyAll(ctx, [{ userId, idempotencyKey, event }]);
}

/** Stored as a message in the user's language. */
export function announceTrial(ctx: Ctx, userId: string, languageCode: LanguageCode, dollars: number): Promise<void> {
  return notify(ctx, userId, `trial:${userId}`, { kind: 'MESSAGE', details: trialText(languageCode, dollars) });
}

/** @returns the users who did not have it yet */
export async function notifyAll(ctx: Ctx, all: readonly NewNotification[]): Promise<string[]> {
  if (all.length === 0) return [];
  const userIds = await store.insertNotifications(ctx, all);
  for (const userId of userIds) ctx.changed({ userId }, 'notifications');
  return userIds;
}

/** The owner of the notifications. */
type Reader = Pick<Actor, 'userId' | 'languageCode'>;

export async function listOwn(ctx: Ctx, { userId, languageCode }: Reader, page: PageQuery) {
  const [rows, { count, unreadCount }] = await Promise.all([
    store.listNotifications(ctx, userId, page),
    store.countNotifications(ctx, userId),
  ]);
  return { data: rows.map((row) => present(row, languageCode)), totalPages: toTotalPages(count, page), unreadCount };
}

/** @returns the number of unread notifications */
export async function markRead(ctx: Ctx, { userId }: Actor, ids: readonly string[]): Promise<number> {
  if (await store.markRead(ctx, userId, ids)) ctx.changed({ userId }, 'notifications');
  return (await store.countNotifications(ctx, userId)).unreadCount;
}

/** Deletes notifications older than NOTICE_DAYS, and those beyond the maximum per user. */
export async function deleteOldNotifications(ctx: Ctx): Promise<void> {
  await cleanUp(ctx, 'old notifications', (ctx, limit) => store.deleteOlder(ctx, NOTICE_DAYS, limit));
  await cleanUp(ctx, 'surplus notifications', (ctx, limit) =>
    store.deleteSurplus(ctx, SURPLUS_WINDOW_HOURS, NOTIFICATIONS_MAX, limit),
  );
}

export function present(row: store.NotificationRow, languageCode: LanguageCode): Notification {
  const text = row.kind === 'BROADCAST' ? row.texts![languageCode] : renderNotification(languageCode, row);
  return {
    id: row.id,
    description: text.description,
    content: text.content ?? null,
    createdAt: row.createdAt.toISOString(),
    isRead: row.isRead,
  };
}

/** @throws AppError NOT_FOUND */
export async function listOfUser(ctx: Ctx, { userId, ...page }: PageQuery & { userId: string }) {
  const { languageCode, email } = await requireUser(ctx, userId);
  return { ...(await listOwn(ctx, { userId, languageCode }, page)), user: { id: userId, email } };
}

/** @throws AppError NOT_FOUND, VALIDATION, IDEMPOTENCY_KEY_REUSED */
export async function notifyUser(
  ctx: Ctx,
  { userId: actorId }: Pick<Actor, 'userId'>,
  { userId, ...text }: NotifyUserBody,
  key: string | null,
  requester: Requester,
): Promise<Notification> {
  const { languageCode } = await requireUser(ctx, userId);
  const details = sanitizeText(ctx, text, 'body');
  const idempotencyKey = `staff:${actorId}:${key ?? randomUUID()}`;
  return ctx.tx(async (ctx) => {
    const isNew = await store.insertMessage(ctx, { userId, idempotencyKey, event: { kind: 'MESSAGE', details } });
    const message = (await store.findMessage(ctx, idempotencyKey))!;
    if (isNew) {
      await record(ctx, {
        action: 'NOTIFICATION_SENT',
        actorId,
        userId,
        requester,
        details: { notificationId: message.id },
        after: { description: details.description, content: details.content ?? null },
      });
      ctx.changed({ userId }, 'notifications');
    } else requireSameRequest(message, (made) => made.userId === userId && isDeepStrictEqual(made.details, details));
    return present(message, languageCode);
  });
}

async function requireUser(ctx: Ctx, id: string): Promise<users.User> {
  const user = await users.findUser(ctx, id);
  if (!user) throw new AppError('NOT_FOUND', { thing: 'User' });
  return user;
}
