import type { Ctx } from './ctx.ts';
import type { MailOrder } from './mail/templates.ts';

/** Payloads of all jobs: JSON values only, never a bigint. */
export interface Jobs {
  /** Renders and sends one mail. */
  'mail.send': MailOrder;
  /** Stands for a mail to an address without an account: who asked for it cannot tell by the time it took. */
  'mail.none': { link: string };
  /** Gives a broadcast to its readers. */
  'notifications.broadcast': { broadcastId: string };
}

const ATTEMPTS = 12;

/**
 * Adds a job in the caller's transaction: what rolled back sends nothing. With a `key` at most one such job waits,
 * and the last payload wins.
 */
export async function enqueue<Name extends keyof Jobs>(
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
