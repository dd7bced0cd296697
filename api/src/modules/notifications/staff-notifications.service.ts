/** Notifications of one user for staff, and messages of staff to them. */
import { AppError } from '@cellhop/contract/errors';
import type { Notification } from '@cellhop/contract/notifications';
import type { NotifyUserBody } from '@cellhop/contract/staff/notifications';
import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Actor } from '../../http/actor.ts';
import type { Requester } from '../../http/requester.ts';
import type { Ctx } from '../../ctx.ts';
import { requireSameRequest } from '../../db/refusals.ts';
import type { PageQuery } from '../../http/paging.ts';
import { record } from '../audit-log/audit-log.service.ts';
import * as users from '../users/users.service.ts';
import { listOwn, present } from './notifications.service.ts';
import * as store from './notifications.store.ts';
import { sanitizeText } from './staff-text.ts';

/** @throws AppError NOT_FOUND */
export async function listOfUser(ctx: Ctx, { userId, ...page }: PageQuery & { userId: string }) {
  const { languageCode } = await requireUser(ctx, userId);
  return listOwn(ctx, { userId, languageCode }, page);
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
