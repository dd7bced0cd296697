/** Broadcasts: notifications that staff send to all or some users, delivered by a job. */
import { AppError } from '@cellhop/contract/errors';
import type { Audience, Broadcast, SendBroadcastBody } from '@cellhop/contract/staff-notifications';
import { isDeepStrictEqual } from 'node:util';
import type { Actor } from '../../actor.ts';
import type { Requester } from '../../requester.ts';
import type { Ctx } from '../../ctx.ts';
import { requireSameRequest } from '../../idempotency.ts';
import { toTotalPages, type PageQuery } from '../../http/paging.ts';
import { enqueue } from '../../jobs.ts';
import { record } from '../audit-log/audit-log.service.ts';
import * as store from './broadcasts.store.ts';
import { sanitizeText } from './staff-text.ts';

const RECIPIENTS_PER_BATCH = 1000;

/**
 * Enqueues the delivery.
 * @throws AppError NOT_FOUND if a listed user does not exist, VALIDATION, IDEMPOTENCY_KEY_REUSED
 */
export async function sendBroadcast(
  ctx: Ctx,
  { userId: actorId }: Pick<Actor, 'userId'>,
  { texts, audience }: SendBroadcastBody,
  idempotencyKey: string | null,
  requester: Requester,
): Promise<Broadcast> {
  const clean = { en: sanitizeText(ctx, texts.en, 'body.texts.en'), ru: sanitizeText(ctx, texts.ru, 'body.texts.ru') };
  const userIds = audience.userIds && [...new Set(audience.userIds)];
  if (userIds && (await store.countUsers(ctx, userIds)) < userIds.length)
    throw new AppError('NOT_FOUND', { thing: 'User' });
  const broadcast = { texts: clean, ...toColumns({ ...audience, userIds }), createdBy: actorId, idempotencyKey };
  return ctx.tx(async (ctx) => {
    const id = await store.insertBroadcast(ctx, broadcast);
    if (id === undefined) return presentReplay(await store.findByKey(ctx, actorId, idempotencyKey), broadcast);
    await enqueue(ctx, 'notifications.broadcast', { broadcastId: id });
    await record(ctx, { action: 'BROADCAST_SENT', actorId, requester, details: { broadcastId: id } });
    return present((await store.findBroadcast(ctx, id))!);
  });
}

export async function listBroadcasts(ctx: Ctx, page: PageQuery) {
  const rows = await store.listBroadcasts(ctx, page);
  return { data: rows.map(present), totalPages: toTotalPages(await store.countBroadcasts(ctx), page) };
}

/** Idempotent: a repeated job starts over but delivers to each recipient only once. */
export async function deliverBroadcast(ctx: Ctx, { broadcastId }: { broadcastId: string }): Promise<void> {
  let last: string | null = null;
  for (;;) {
    const recipients: string[] = await store.insertForRecipients(ctx, broadcastId, last, RECIPIENTS_PER_BATCH);
    for (const userId of recipients) ctx.changed({ userId }, 'notifications');
    if (recipients.length < RECIPIENTS_PER_BATCH) break;
    last = recipients.at(-1)!;
  }
  await store.saveSent(ctx, broadcastId);
}

function toColumns(audience: Audience): store.AudienceColumns {
  const { languageCode, userIds, hasOpenConnection, registeredFrom, registeredBefore } = audience;
  return {
    languageCode: languageCode ?? null,
    userIds: userIds ?? null,
    hasOpenConnection: hasOpenConnection ?? null,
    registeredFrom: registeredFrom === undefined ? null : new Date(registeredFrom),
    registeredBefore: registeredBefore === undefined ? null : new Date(registeredBefore),
  };
}

function presentAudience(columns: store.AudienceColumns): Audience {
  const { languageCode, userIds, hasOpenConnection, registeredFrom, registeredBefore } = columns;
  return {
    ...(languageCode !== null && { languageCode }),
    ...(userIds !== null && { userIds: [...userIds] }),
    ...(hasOpenConnection !== null && { hasOpenConnection }),
    ...(registeredFrom !== null && { registeredFrom: registeredFrom.toISOString() }),
    ...(registeredBefore !== null && { registeredBefore: registeredBefore.toISOString() }),
  };
}

function present(row: store.BroadcastRow): Broadcast {
  return {
    id: row.id,
    texts: row.texts,
    audience: presentAudience(row),
    createdBy: row.createdBy === null ? null : { id: row.createdBy, email: row.createdByEmail! },
    createdAt: row.createdAt.toISOString(),
    readerCount: row.readerCount,
    sentAt: row.sentAt?.toISOString() ?? null,
  };
}

function presentReplay(row: store.BroadcastRow | undefined, broadcast: store.NewBroadcast): Broadcast {
  const isSame = (made: store.BroadcastRow) =>
    isDeepStrictEqual(made.texts, broadcast.texts) &&
    isDeepStrictEqual(presentAudience(made), presentAudience(broadcast));
  return present(requireSameRequest(row, isSame));
}
