/** The jobs of broadcasts, each exactly once: delivery in batches, and mailing so slow that no email of an account waits behind it. */
import { RECIPIENTS_COUNTED_MAX } from '@cellhop/contract/limits';
import type { AuditReason } from '@cellhop/contract/staff/audit-log.values';
import type { Ctx } from '../../ctx.ts';
import { countWaiting } from '../../jobs/jobs.ts';
import { record } from '../audit-log/audit-log.service.ts';
import type { SealedMail } from '../../mail/mail-requests.ts';
import { deliver, discard, send } from '../mails/mails.service.ts';
import * as users from '../users/users.service.ts';
import * as store from './broadcasts.store.ts';
import { toNewsMail } from './news-mail.ts';
import * as recipients from './recipients.store.ts';

const RECIPIENTS_PER_BATCH = 1000;

/** Idempotent: a repeated job continues after the last batch, and delivers to each recipient only once. */
export async function deliverBroadcast(ctx: Ctx, { broadcastId }: { broadcastId: string }): Promise<void> {
  while (await ctx.tx((ctx) => deliverBatch(ctx, broadcastId)));
}

/** Under the lock of the broadcast, which those take who cancel it. @returns whether there may be more recipients */
async function deliverBatch(ctx: Ctx, id: string): Promise<boolean> {
  const broadcast = await store.lockBroadcast(ctx, id);
  if (!broadcast || broadcast.cancelledAt !== null || broadcast.sentAt !== null) return false;
  if (await cancelWithoutAuthor(ctx, broadcast)) return false;
  if (broadcast.scheduledAt !== null && broadcast.startedAt === null)
    await store.saveStarted(ctx, id, await recipients.countRecipients(ctx, broadcast, RECIPIENTS_COUNTED_MAX));
  const batch = { broadcastId: id, audience: broadcast, after: broadcast.deliveredUntil, limit: RECIPIENTS_PER_BATCH };
  const reached = await recipients.insertForRecipients(ctx, batch);
  for (const userId of reached) ctx.changed({ userId }, 'notifications');
  if (reached.length === RECIPIENTS_PER_BATCH) return true;
  await store.saveSent(ctx, id);
  return false;
}

/** The rest of a broadcast is not sent if its author has been blocked or lost the permission. @returns whether that is so */
async function cancelWithoutAuthor(ctx: Ctx, { id, createdBy }: store.BroadcastRow): Promise<boolean> {
  if (createdBy === null || (await users.mayStill(ctx, createdBy, 'MASS_NOTIFICATIONS_WRITE'))) return false;
  await store.saveCancelled(ctx, id, null);
  await record(ctx, {
    action: 'BROADCAST_CANCELLED',
    subject: { type: 'BROADCAST', id },
    requester: undefined,
    reason: 'NO_LONGER_ALLOWED' satisfies AuditReason,
  });
  return true;
}

/** After that, news are not mailed any more. */
const MAIL_EXPIRY_MS = 3 * 24 * 60 * 60 * 1000;

/** If the mail server takes fewer, no more are queued than it should take in these minutes. */
const QUEUED_MINUTES_MAX = 10;

/**
 * Runs once a minute for all workers, and queues a bounded number of mails, so that the mail server is not flooded. Those of accounts never
 * wait behind them, because all other jobs run first. A batch and its progress are one transaction: an interruption loses nothing and repeats nothing.
 */
export async function mailBroadcasts(ctx: Ctx): Promise<void> {
  const limit = ctx.config.newsMailsPerMinute;
  const queuedMax = QUEUED_MINUTES_MAX * limit;
  if ((await countWaiting(ctx, 'mail.deliver-news', queuedMax)) >= queuedMax) return;
  await ctx.tx(async (ctx) => {
    const broadcast = await store.lockNextToMail(ctx);
    if (!broadcast || (await cancelWithoutAuthor(ctx, broadcast))) return;
    const { id, texts, mailedUntil } = broadcast;
    const readers = await recipients.listMailReaders(ctx, id, mailedUntil, limit);
    const mailed = readers.filter(({ isMailable }) => isMailable);
    const expiredAt = new Date(Date.now() + MAIL_EXPIRY_MS);
    for (const reader of mailed)
      await send(ctx, reader.id, toNewsMail(ctx.config, reader, texts[reader.languageCode]), expiredAt, id);
    const until = readers.at(-1)?.id ?? null;
    await store.saveMailed(ctx, id, { count: mailed.length, until, isLast: readers.length < limit });
  });
}

/** The job of one mail. Those that were queued before their broadcast was cancelled are not sent. */
export async function deliverNews(ctx: Ctx, mail: SealedMail): Promise<void> {
  const broadcast = mail.broadcastId === undefined ? undefined : await store.findBroadcast(ctx, mail.broadcastId);
  await (broadcast?.cancelledAt ? discard(ctx, mail) : deliver(ctx, mail));
}
