/** Sends mails as jobs, and stores for 90 days which mails were sent to a user, without their contents. */
import { AppError } from '@cellhop/contract/errors';
import { mailKinds, type SentMail } from '@cellhop/contract/staff/mails';
import { cleanUp } from '../../db/clean-up.ts';
import type { Ctx } from '../../ctx.ts';
import { readListed, toOffset, type PageQuery } from '../../http/paging.ts';
import { enqueue } from '../../jobs/jobs.ts';
import { deliverMail } from '../../mail/mailer.ts';
import { sealMail, type SealedMail } from '../../mail/mail-requests.ts';
import type { MailRequest } from '../../mail/templates.ts';
import * as users from '../users/users.service.ts';
import * as store from './mails.store.ts';

export { findSentTime } from './mails.store.ts';

/** A mail server may be away for a weekend. */
const WAITING_MAX_MS = 3 * 24 * 60 * 60 * 1000;

/**
 * Enqueues a mail in the transaction of the change.
 * @param userId undefined: no account has the address. Runs the same statements, so that the response time does not
 *   reveal it, but sends nothing.
 * @param expiredAt when its link expires; null: it waits for the mail server as long as any without a link
 * @param broadcastId of one of its mails
 * @returns its id
 */
export async function send(
  ctx: Ctx,
  userId: string | undefined,
  request: MailRequest,
  expiredAt: Date | null,
  broadcastId?: string,
): Promise<string> {
  const mail = { ...(await recordMail(ctx, userId, request, expiredAt)), broadcastId };
  await enqueue(ctx, userId === undefined ? 'mail.none' : jobOf(request), mail);
  return mail.mailId;
}

/** Mails that workers of 0.4.0 cannot render. */
const UNKNOWN_BEFORE = new Set<MailRequest['template']>(['exits-failing', 'certificate-ending', 'certificate-expired']);

/** Workers of 0.4.0 leave jobs alone whose names they do not know. */
function jobOf({ template }: MailRequest) {
  if (template === 'news') return 'mail.deliver-news';
  return UNKNOWN_BEFORE.has(template) ? 'mail.deliver-alert' : 'mail.deliver';
}

/** The same in a transaction that may move money, which enqueues no job: a task of the worker does. */
export async function sendAfterwards(ctx: Ctx, userId: string, request: MailRequest): Promise<void> {
  await store.insertUnqueued(ctx, await recordMail(ctx, userId, request, null));
}

/** To the support team, of whose mails nothing is recorded. */
export async function sendToSupport(ctx: Ctx, request: MailRequest): Promise<void> {
  const mail = sealMail(ctx, request, new Date(Date.now() + WAITING_MAX_MS));
  await enqueue(ctx, 'mail.deliver', mail);
}

async function recordMail(
  ctx: Ctx,
  userId: string | undefined,
  request: MailRequest,
  expiredAt: Date | null,
): Promise<SealedMail> {
  const { template, languageCode } = request;
  const mail = sealMail(ctx, request, expiredAt ?? new Date(Date.now() + WAITING_MAX_MS));
  await store.insertMail(ctx, { id: mail.mailId, userId: userId ?? null, kind: template, languageCode });
  return mail;
}

/** Of a transaction; the next run of the task queues the others. */
const QUEUED_MAX = 500;

/** The periodic task. Two workers never queue the same mail. */
export function queueMails(ctx: Ctx): Promise<void> {
  return ctx.tx(async (ctx) => {
    for (const mail of await store.takeUnqueued(ctx, QUEUED_MAX)) await enqueue(ctx, 'mail.deliver', mail);
  });
}

/** The job. Rejects if the mail server did not accept the mail; the job is then retried. */
export async function deliver(ctx: Ctx, mail: SealedMail): Promise<void> {
  let isSent = false;
  try {
    isSent = await deliverMail(ctx, mail);
  } finally {
    // Versions before the table enqueued mails without an id.
    await mark(ctx, mail.mailId, isSent);
  }
}

/** A mail that is not sent after all. */
export function discard(ctx: Ctx, { mailId }: SealedMail): Promise<void> {
  return mark(ctx, mailId, false);
}

/** Never rejects: a retry of the job would send the mail again. */
async function mark(ctx: Ctx, id: string, isSent: boolean): Promise<void> {
  try {
    await (isSent ? store.markSent(ctx, id) : store.markFailed(ctx, id));
  } catch (error) {
    ctx.log.warn({ err: error, mailId: id }, 'the result of a mail could not be stored');
  }
}

/** @throws AppError NOT_FOUND */
export async function listMails(ctx: Ctx, userId: string, page: PageQuery) {
  if (!(await users.findUser(ctx, userId))) throw new AppError('NOT_FOUND', { thing: 'User' });
  const { rows, ...pages } = await readListed(page, {
    list: () => store.listMails(ctx, userId, mailKinds, { limit: page.size, offset: toOffset(page) }),
    count: (limit) => store.countMails(ctx, userId, mailKinds, limit),
  });
  return { data: rows.map(present), ...pages };
}

function present({ id, kind, languageCode, queuedAt, sentAt, failedAt }: store.MailRow): SentMail {
  return {
    id,
    kind,
    languageCode,
    status: sentAt !== null ? 'SENT' : failedAt !== null ? 'FAILED' : 'QUEUED',
    queuedAt: queuedAt.toISOString(),
    endedAt: (sentAt ?? failedAt)?.toISOString() ?? null,
  };
}

export async function deleteOldMails(ctx: Ctx): Promise<void> {
  await cleanUp(ctx, 'sent mails', store.deleteOld);
}
