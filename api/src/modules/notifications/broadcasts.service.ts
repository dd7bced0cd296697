/** Broadcasts: notifications that staff send to all or some users, now or later. broadcast-delivery.service.ts delivers them. */
import { AppError } from '@cellhop/contract/errors';
import {
  BROADCAST_DAYS_AHEAD_MAX,
  RECIPIENTS_COUNTED_MAX,
  RECIPIENTS_TOLD_MIN,
  SCHEDULED_BROADCASTS_MAX,
} from '@cellhop/contract/limits';
import type { Audience, Broadcast, SendBroadcastBody } from '@cellhop/contract/staff/notifications';
import { type BroadcastTexts, permissionOfFilter } from '@cellhop/contract/staff/notifications.forms';
import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import type { Actor } from '../../http/actor.ts';
import type { Requester } from '../../http/requester.ts';
import type { Ctx } from '../../ctx.ts';
import { requireSameRequest } from '../../db/refusals.ts';
import { readListed, type PageQuery } from '../../http/paging.ts';
import { enqueue, removeJob } from '../../jobs/jobs.ts';
import { record } from '../audit-log/audit-log.service.ts';
import { presentAudience, toColumns } from './audience.ts';
import * as store from './broadcasts.store.ts';
import * as recipients from './recipients.store.ts';
import { sanitizeTexts } from './sanitise-html.ts';

const DAY_MS = 86_400_000;

/**
 * Enqueues the delivery, at once or for a later time.
 * @throws AppError NOT_FOUND if a listed user does not exist, PERMISSION_LACKING, VALIDATION, IDEMPOTENCY_KEY_REUSED
 */
export async function sendBroadcast(
  ctx: Ctx,
  actor: Pick<Actor, 'userId' | 'permissions'>,
  { texts, audience, isMailed, scheduledAt: time }: SendBroadcastBody,
  idempotencyKey: string | null,
  requester: Requester,
): Promise<Broadcast> {
  const { userId: actorId } = actor;
  requireReadable(actor, audience);
  const clean = inEachLanguage(sanitizeTexts(ctx, texts));
  const scheduledAt = time === undefined ? null : new Date(time);
  const columns = toColumns(audience);
  const { userIds } = columns;
  if (userIds && (await recipients.countUsers(ctx, userIds)) < userIds.length)
    throw new AppError('NOT_FOUND', { thing: 'User' });
  const recipientCount = await recipients.countRecipients(ctx, columns, RECIPIENTS_COUNTED_MAX);
  const made = { createdBy: actorId, idempotencyKey, recipientCount };
  const broadcast = { texts: clean, ...columns, ...made, scheduledAt, isMailed };
  return ctx.tx(async (ctx) => {
    const id = await store.insertBroadcast(ctx, broadcast);
    if (id === undefined) return presentReplay(await store.findByKey(ctx, actorId, idempotencyKey), broadcast);
    // After the insert, so that a repeat succeeds when the time has come.
    if (scheduledAt !== null) await requireSchedulable(ctx, scheduledAt);
    await enqueueDelivery(ctx, id, scheduledAt);
    await record(ctx, {
      action: scheduledAt === null ? 'BROADCAST_SENT' : 'BROADCAST_SCHEDULED',
      actorId,
      subject: { type: 'BROADCAST', id },
      requester,
      after: {
        en: clean.en.description,
        ru: clean.ru.description,
        audience: describe(audience),
        recipientCount,
        ...(isMailed && { isMailed }),
        ...(scheduledAt !== null && { scheduledAt: scheduledAt.toISOString() }),
      },
    });
    return present((await store.findBroadcast(ctx, id))!);
  });
}

/** A given text for each language: who has a language without one sees the other. */
function inEachLanguage({ en, ru }: BroadcastTexts): store.BroadcastTexts {
  const [first, second] = [en ?? ru, ru ?? en];
  assert(first !== undefined && second !== undefined);
  return { en: first, ru: second };
}

/** The new broadcast counts, too. @throws AppError VALIDATION */
async function requireSchedulable(ctx: Ctx, at: Date): Promise<void> {
  const aheadMs = at.getTime() - Date.now();
  const path = 'body.scheduledAt';
  if (aheadMs <= 0) throw AppError.validation([{ path, message: 'must be in the future' }]);
  if (aheadMs > BROADCAST_DAYS_AHEAD_MAX * DAY_MS)
    throw AppError.validation([{ path, message: `must be within ${String(BROADCAST_DAYS_AHEAD_MAX)} days` }]);
  if ((await store.lockAndCountScheduled(ctx)) > SCHEDULED_BROADCASTS_MAX)
    throw AppError.validation([{ path, message: `At most ${String(SCHEDULED_BROADCASTS_MAX)} broadcasts may wait` }]);
}

/** A scheduled one has a job name of its own: its time is a person's choice, which a corrected clock does not change. */
async function enqueueDelivery(ctx: Ctx, id: string, scheduledAt: Date | null): Promise<void> {
  if (scheduledAt === null) await enqueue(ctx, 'notifications.deliver', { broadcastId: id });
  else
    await enqueue(ctx, 'notifications.deliver-scheduled', { broadcastId: id }, { key: jobKey(id), runAt: scheduledAt });
}

const jobKey = (id: string) => `notifications.deliver-scheduled:${id}`;

/** The rest is not delivered. @throws AppError NOT_FOUND, CHANGED_ELSEWHERE if its delivery is over, mails included */
export function cancelBroadcast(
  ctx: Ctx,
  { userId: actorId }: Pick<Actor, 'userId'>,
  id: string,
  requester: Requester,
): Promise<Broadcast> {
  return ctx.tx(async (ctx) => {
    const broadcast = await store.lockBroadcast(ctx, id);
    if (!broadcast) throw new AppError('NOT_FOUND', { thing: 'Broadcast' });
    if (broadcast.cancelledAt === null) {
      if (!isUnfinished(broadcast)) throw new AppError('CHANGED_ELSEWHERE');
      await store.saveCancelled(ctx, id, actorId);
      await removeJob(ctx, jobKey(id));
      await record(ctx, {
        action: 'BROADCAST_CANCELLED',
        actorId,
        subject: { type: 'BROADCAST', id },
        requester,
      });
    }
    return present((await store.findBroadcast(ctx, id))!);
  });
}

function isWaiting({ scheduledAt, startedAt, cancelledAt }: store.BroadcastRow): boolean {
  return scheduledAt !== null && startedAt === null && cancelledAt === null;
}

/** Somebody has not got it yet, or not by email. */
function isUnfinished({ sentAt, isMailed, mailsEndedAt }: store.BroadcastRow): boolean {
  return sentAt === null || (isMailed && mailsEndedAt === null);
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

function present(row: store.BroadcastRow): Broadcast {
  const isForFew = isFew(row.recipientCount ?? row.readerCount);
  return {
    id: row.id,
    texts: row.texts,
    audience: presentAudience(row),
    createdBy: row.createdBy === null ? null : { id: row.createdBy, email: row.createdByEmail! },
    createdAt: row.createdAt.toISOString(),
    scheduledAt: row.scheduledAt?.toISOString() ?? null,
    isWaiting: isWaiting(row),
    canCancel: row.cancelledAt === null && isUnfinished(row),
    cancelled: presentCancelled(row),
    isMailed: row.isMailed,
    mailCount: isForFew ? 0 : row.mailCount,
    isForFew,
    recipientCount: isForFew ? null : row.recipientCount,
    readerCount: isForFew ? 0 : row.readerCount,
    sentAt: row.sentAt?.toISOString() ?? null,
  };
}

function presentCancelled({ cancelledAt, cancelledBy, cancelledByEmail }: store.BroadcastRow): Broadcast['cancelled'] {
  if (cancelledAt === null) return null;
  const by = cancelledBy === null ? null : { id: cancelledBy, email: cancelledByEmail! };
  return { at: cancelledAt.toISOString(), by };
}

function presentReplay(row: store.BroadcastRow | undefined, broadcast: store.NewBroadcast): Broadcast {
  const isSame = (made: store.BroadcastRow) =>
    isDeepStrictEqual(made.texts, broadcast.texts) &&
    made.isMailed === broadcast.isMailed &&
    made.scheduledAt?.getTime() === broadcast.scheduledAt?.getTime() &&
    isDeepStrictEqual(presentAudience(made), presentAudience(broadcast));
  return present(requireSameRequest(row, isSame));
}
