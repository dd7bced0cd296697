/**
 * The job runner locks a job when it fetches it, and another runner takes it over after four hours. After a killed process, or a
 * response lost with its connection, a recovery mail would be delayed until its link has expired. So the locks of running jobs are
 * renewed, and locks that are not renewed are released.
 */
import type { WorkerEvents } from 'graphile-worker';
import type { Ctx } from '../ctx.ts';
import { renewLocks, unlockAbandoned } from './jobs.store.ts';

const RENEW_EVERY_MS = 30_000;
/** Several missed renewals. */
const ABANDONED_AFTER_MS = 300_000;

export interface JobLockTimes {
  renewEveryMs?: number;
  abandonedAfterMs?: number;
}

/** @returns a function that stops it */
export function startJobLockRenewal(
  ctx: Ctx,
  events: WorkerEvents,
  { renewEveryMs = RENEW_EVERY_MS, abandonedAfterMs = ABANDONED_AFTER_MS }: JobLockTimes,
): () => void {
  const running = new Set<string>();
  events.on('job:start', ({ job }) => running.add(job.id));
  events.on('job:complete', ({ job }) => running.delete(job.id));
  let isRenewing = false;
  const timer = setInterval(() => {
    // Skips a turn while the previous renewal is still running.
    if (isRenewing) return;
    isRenewing = true;
    void renew().finally(() => (isRenewing = false));
  }, renewEveryMs);

  async function renew(): Promise<void> {
    try {
      if (running.size > 0) await renewLocks(ctx, [...running]);
      const count = await unlockAbandoned(ctx, abandonedAfterMs);
      if (count > 0) ctx.log.warn({ count }, 'released the jobs of a worker that has disappeared');
    } catch (error) {
      ctx.log.warn({ err: error }, 'job locks could not be renewed');
    }
  }

  return () => clearInterval(timer);
}
