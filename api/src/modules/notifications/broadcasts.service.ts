/** Broadcasts: notifications that staff send to all or some users, delivered by a job. */
import { AppError } from '@cellhop/contract/errors';
import { RECIPIENTS_COUNTED_MAX } from '@cellhop/contract/limits';
import type { Audience, Broadcast, SendBroadcastBody } from '@cellhop/contract/staff/notifications';
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
  const columns = toColumns(audience);
  const { userIds } = columns;
  if (userIds && (await recipients.countUsers(ctx, userIds)) < userIds.length)
    throw new AppError('NOT_FOUND', { thing: 'User' });
  const recipientCount = await countRecipients(ctx, audience);
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
        audience: Object.entries(presentAudience(columns)).map(([name, value]) => `${name}: ${String(value)}`),
        recipientCount,
      },
    });
    return present((await store.findBroadcast(ctx, id))!);
  });
}

/** How many users a broadcast would reach now, counted up to RECIPIENTS_COUNTED_MAX. */
export function countRecipients(ctx: Ctx, audience: Audience): Promise<number> {
  return recipients.countRecipients(ctx, toColumns(audience), RECIPIENTS_COUNTED_MAX);
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
  return {
    id: row.id,
    texts: row.texts,
    audience: presentAudience(row),
    createdBy: row.createdBy === null ? null : { id: row.createdBy, email: row.createdByEmail! },
    createdAt: row.createdAt.toISOString(),
    recipientCount: row.recipientCount,
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
