/** Broadcasts: notifications that staff send to all or some users, delivered by a job. */
import { AppError } from '@cellhop/contract/errors';
import { RECIPIENTS_COUNTED_MAX, RECIPIENTS_TOLD_MIN } from '@cellhop/contract/limits';
import type { Audience, Broadcast, SendBroadcastBody } from '@cellhop/contract/staff/notifications';
import { permissionOfFilter } from '@cellhop/contract/staff/notifications.forms';
import { isDeepStrictEqual } from 'node:util';
import type { Actor } from '../../http/actor.ts';
import type { Requester } from '../../http/requester.ts';
import type { Ctx } from '../../ctx.ts';
import { requireSameRequest } from '../../db/refusals.ts';
import { readListed, type PageQuery } from '../../http/paging.ts';
import { enqueue } from '../../jobs/jobs.ts';
import { record } from '../audit-log/audit-log.service.ts';
import { presentAudience, toColumns } from './audience.ts';
import * as store from './broadcasts.store.ts';
import * as recipients from './recipients.store.ts';
import { sanitizeText } from './sanitise-html.ts';

const RECIPIENTS_PER_BATCH = 1000;

/**
 * Enqueues the delivery.
 * @throws AppError NOT_FOUND if a listed user does not exist, PERMISSION_LACKING, VALIDATION, IDEMPOTENCY_KEY_REUSED
 */
export async function sendBroadcast(
  ctx: Ctx,
  actor: Pick<Actor, 'userId' | 'permissions'>,
  { texts, audience }: SendBroadcastBody,
  idempotencyKey: string | null,
  requester: Requester,
): Promise<Broadcast> {
  const { userId: actorId } = actor;
  requireReadable(actor, audience);
  const clean = { en: sanitizeText(ctx, texts.en, 'body.texts.en'), ru: sanitizeText(ctx, texts.ru, 'body.texts.ru') };
  const columns = toColumns(audience);
  const { userIds } = columns;
  if (userIds && (await recipients.countUsers(ctx, userIds)) < userIds.length)
    throw new AppError('NOT_FOUND', { thing: 'User' });
  const recipientCount = await recipients.countRecipients(ctx, columns, RECIPIENTS_COUNTED_MAX);
  const broadcast = { texts: clean, ...columns, createdBy: actorId, idempotencyKey, recipientCount };
  return ctx.tx(async (ctx) => {
    const id = await store.insertBroadcast(ctx, broadcast);
    if (id === undefined) return presentReplay(await store.findByKey(ctx, actorId, idempotencyKey), broadcast);
    await enqueue(ctx, 'notifications.deliver', { broadcastId: id });
    await record(ctx, {
      action: 'BROADCAST_SENT',
      actorId,
      subject: { type: 'BROADCAST', id },
      requester,
      after: {
        en: clean.en.description,
        ru: clean.ru.description,
        audience: describe(audience),
        recipientCount,
      },
    });
    return present((await store.findBroadcast(ctx, id))!);
  });
}

/**
 * How many users a broadcast would reach now, counted up to RECIPIENTS_COUNTED_MAX. Who counts often enough learns about single users, so
 * each count is recorded, and small ones are not told.
 * @throws AppError PERMISSION_LACKING
 */
export function countRecipients(
  ctx: Ctx,
  actor: Pick<Actor, 'userId' | 'permissions'>,
  audience: Audience,
  requester: Requester,
): Promise<{ count: number; isFew: boolean }> {
  requireReadable(actor, audience);
  return ctx.tx(async (ctx) => {
    const count = await recipients.countRecipients(ctx, toColumns(audience), RECIPIENTS_COUNTED_MAX);
    const details = { audience: describe(audience) };
    await record(ctx, { action: 'RECIPIENTS_COUNTED', actorId: actor.userId, requester, details });
    return { count: Math.max(count, RECIPIENTS_TOLD_MIN - 1), isFew: isFew(count) };
  });
}

/** A filter of what the caller may not read would reveal it. @throws AppError PERMISSION_LACKING */
function requireReadable({ permissions }: Pick<Actor, 'permissions'>, audience: Audience): void {
  for (const filter of Object.keys(audience) as (keyof Audience)[]) {
    const permission = permissionOfFilter[filter];
    if (audience[filter] !== undefined && !permissions.has(permission))
      throw new AppError('PERMISSION_LACKING', { permission });
  }
}

const isFew = (count: number) => count < RECIPIENTS_TOLD_MIN;

/** For the audit log. */
function describe(audience: Audience): string[] {
  return Object.entries(presentAudience(toColumns(audience))).map(([name, value]) => `${name}: ${String(value)}`);
}

export async function listBroadcasts(ctx: Ctx, page: PageQuery) {
  const { rows, ...pages } = await readListed(page, {
    list: () => store.listBroadcasts(ctx, page),
    count: (limit) => store.countBroadcasts(ctx, limit),
  });
  return { data: rows.map(present), ...pages };
}

/** Idempotent: a repeated job continues after the last batch, and delivers to each recipient only once. */
export async function deliverBroadcast(ctx: Ctx, { broadcastId }: { broadcastId: string }): Promise<void> {
  const broadcast = await store.findBroadcast(ctx, broadcastId);
  if (!broadcast || broadcast.sentAt !== null) return;
  let after = broadcast.deliveredUntil;
  for (;;) {
    const batch = { broadcastId, audience: broadcast, after, limit: RECIPIENTS_PER_BATCH };
    const reached = await recipients.insertForRecipients(ctx, batch);
    for (const userId of reached) ctx.changed({ userId }, 'notifications');
    if (reached.length < RECIPIENTS_PER_BATCH) break;
    after = reached.at(-1)!;
  }
  await store.saveSent(ctx, broadcastId);
}

function present(row: store.BroadcastRow): Broadcast {
  const isForFew = isFew(row.recipientCount ?? row.readerCount);
  return {
    id: row.id,
    texts: row.texts,
    audience: presentAudience(row),
    createdBy: row.createdBy === null ? null : { id: row.createdBy, email: row.createdByEmail! },
    createdAt: row.createdAt.toISOString(),
    isForFew,
    recipientCount: isForFew ? null : row.recipientCount,
    readerCount: isForFew ? 0 : row.readerCount,
    sentAt: row.sentAt?.toISOString() ?? null,
  };
}

function presentReplay(row: store.BroadcastRow | undefined, broadcast: store.NewBroadcast): Broadcast {
  const isSame = (made: store.BroadcastRow) =>
    isDeepStrictEqual(made.texts, broadcast.texts) &&
    isDeepStrictEqual(presentAudience(made), presentAudience(broadcast));
  return present(requireSameRequest(row, isSame));
}
