import { z } from 'zod';
import { cleanUp } from './clean-up.ts';
import type { Ctx } from './ctx.ts';
import * as store from './jobs.store.ts';
import { mailOrderSchema, sealedMailSchema } from './mail/mail-orders.ts';

/**
 * Payloads of all jobs: JSON values only, never a bigint. A worker of another version may get a job, so payloads are
 * parsed: fields that it does not know are ignored, and what older versions enqueue stays readable here until nobody
 * enqueues it any more. What an older worker would misread gets another name: it leaves alone what it does not know.
 */
export const payloadSchemas = {
  /** Renders and sends one mail. */
  'mail.deliver': sealedMailSchema,
  /** The same, from versions that did not seal it. */
  'mail.send': mailOrderSchema,
  /** Stands for a mail to an address without an account: who asked for it cannot tell by the time it took. */
  'mail.none': z.unknown(),
  /** Gives a broadcast to its readers. */
  'notifications.broadcast': z.object({ broadcastId: z.uuid() }),
};

export type Jobs = { [Name in keyof typeof payloadSchemas]: z.infer<(typeof payloadSchemas)[Name]> };

const ATTEMPTS = 12;

/**
 * Adds a job in the caller's transaction: what rolled back sends nothing. With a `key` at most one such job waits,
 * and the last payload wins.
 */
export async function enqueue<Name extends Exclude<keyof Jobs, 'mail.send'>>(
  ctx: Ctx,
  name: Name,
  payload: Jobs[Name],
  key?: string,
): Promise<void> {
  await ctx.db.query('select graphile_worker.add_job($1, $2::json, job_key => $3, max_attempts => $4)', [
    name,
    JSON.stringify(payload),
    key ?? null,
    ATTEMPTS,
  ]);
}

/**
 * Nothing in a job outlives its use. A mail whose link has ended is not sent any more; of a job that failed for good its
 * reason is kept for 30 days, the contents of a mail not at all.
 */
export async function cleanUpJobs(ctx: Ctx): Promise<void> {
  await cleanUp(ctx, 'expired mails', store.deleteExpiredMails);
  await cleanUp(ctx, 'contents of failed mails', store.forgetContents);
  await cleanUp(ctx, 'failed jobs', store.deleteFailed);
}

/** How many jobs failed for good: an operator should look at them. */
export { countFailed } from './jobs.store.ts';
