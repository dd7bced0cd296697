import { z } from 'zod';
import { cleanUp } from '../db/clean-up.ts';
import type { Ctx } from '../ctx.ts';
import { sealedMailSchema } from '../mail/mail-requests.ts';
import * as store from './jobs.store.ts';

/**
 * Payloads of all jobs: JSON values only, never a bigint. A worker of another version may get a job, so payloads are parsed:
 * unknown fields are ignored, and the formats of the previous release stay readable. A format that one of its workers would misread gets a new job name, because workers ignore names that they do not know.
 */
export const payloadSchemas = {
  /** Renders and sends one mail. */
  'mail.deliver': sealedMailSchema,
  /** The same for one of many mails. */
  'mail.deliver-news': sealedMailSchema,
  /** As workers of 0.4.0 enqueue some mails. */
  'mail.deliver-notice': sealedMailSchema,
  /** The same for mails that workers of 0.4.0 cannot render. */
  'mail.deliver-alert': sealedMailSchema,
  /** Does nothing. Enqueued for addresses without an account, so that the response time does not reveal it. */
  'mail.none': z.unknown(),
  /** Delivers a broadcast to its recipients. */
  'notifications.deliver': z.object({ broadcastId: z.uuid() }),
  /** The same at a later time, unless it was cancelled. */
  'notifications.deliver-scheduled': z.object({ broadcastId: z.uuid() }),
  /** Takes the proxies of a draining node out of the catalogue, or returns those of a node that no longer is. */
  'proxies.follow-draining': z.object({ nodeId: z.uuid() }),
  /** Applies a bulk change or an import of the catalogue. */
  'proxies.change': z.object({ changeId: z.uuid() }),
};

export type Jobs = { [Name in keyof typeof payloadSchemas]: z.infer<(typeof payloadSchemas)[Name]> };

const ATTEMPTS = 12;
/** They wait as long as they are worth sending, which their `expiredAt` says. */
const MAIL_ATTEMPTS = 10_000;
/** Runs whenever no other job is due, also on a mail server that is slower than they are queued; the default is 0. */
const NEWS_PRIORITY = 10;
/** They take four minutes in total, because staff are waiting for the change. Then staff retry or dismiss it. */
const CHANGE_ATTEMPTS = 6;

interface JobOptions {
  /** At most one job with it waits, and the last payload wins. */
  key?: string;
  /** The earliest time; by default now. */
  runAt?: Date;
}

/** Adds a job in the caller's transaction, so a rollback removes it. */
export async function enqueue<Name extends keyof Jobs>(
  ctx: Ctx,
  name: Name,
  payload: Jobs[Name],
  { key, runAt }: JobOptions = {},
): Promise<void> {
  await ctx.db.query(
    'select graphile_worker.add_job($1, $2::json, job_key => $3, max_attempts => $4, run_at => $5, priority => $6)',
    [
      name,
      JSON.stringify(payload),
      key ?? null,
      name === 'proxies.change' ? CHANGE_ATTEMPTS : name.startsWith('mail.') ? MAIL_ATTEMPTS : ATTEMPTS,
      runAt ?? null,
      name === 'mail.deliver-news' ? NEWS_PRIORITY : 0,
    ],
  );
}

/**
 * Deletes what is no longer needed. A mail with an expired link is not sent. Permanently failed jobs are kept for 30 days with
 * their error, but without the contents of mails.
 */
export async function cleanUpJobs(ctx: Ctx): Promise<void> {
  await cleanUp(ctx, 'expired mails', store.deleteExpiredMails);
  await cleanUp(ctx, 'contents of failed mails', store.deleteMailContents);
  await cleanUp(ctx, 'failed jobs', store.deleteFailed);
}

/** The runner would wait up to six hours between two attempts. */
export { hastenMails } from './jobs.store.ts';

/** Safe to run in several workers at once. */
export function correctFutureJobs(ctx: Ctx): Promise<void> {
  return store.correctFutureJobs(ctx, ['notifications.deliver-scheduled'] satisfies (keyof Jobs)[]);
}

/** Of the oldest mail of an account that is not sent yet; 0 without one. */
export function mailAgeSeconds(ctx: Ctx): Promise<number> {
  return store.readMailAge(ctx);
}

/** @returns undefined if there is no such job, or no longer */
export function findProgress<Name extends keyof Jobs>(
  ctx: Ctx,
  name: Name,
  payload: Jobs[Name] & object,
): Promise<store.JobProgress | undefined> {
  return store.findProgress(ctx, name, payload);
}

/** How many jobs of this name are to be run, at most `limit`. */
export function countWaiting(ctx: Ctx, name: keyof Jobs, limit: number): Promise<number> {
  return store.countWaiting(ctx, name, limit);
}

/** `countFailed`: the number of permanently failed jobs, which need an operator. */
export { countFailed, removeJob } from './jobs.store.ts';

const SHOWN_LENGTH_MAX = 300;

/**
 * The first line of an error, without secrets that staff must not see: mail servers quote addresses, and a message may contain a link with
 * a code. Anything that looks like a link, an address or a long random text is replaced.
 */
export function hideSecrets(error: string): string {
  const [line = ''] = error.trim().split(/\r?\n/, 1);
  return line
    .slice(0, 4 * SHOWN_LENGTH_MAX)
    .replaceAll(/[a-z][a-z0-9+.-]*:\/\/\S+/gi, '[link]')
    .replaceAll(/[^\s<>"'(),;:]+@[^\s<>"'(),;:]+/g, '[address]')
    .replaceAll(/(?=[\w+/=.-]*\d)[\w+/=-][\w+/=.-]{19,}/g, '[code]')
    .slice(0, SHOWN_LENGTH_MAX);
}
