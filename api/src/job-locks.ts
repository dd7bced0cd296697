/**
 * The job runner locks a job when it fetches it, and another runner takes it over after four hours. A process that was
 * killed, or an answer that got lost with its connection, would hold up a recovery mail for longer than its link lives.
 * So locks of jobs that run are renewed, and those that are not are taken away.
 */
import type { WorkerEvents } from 'graphile-worker';
import type { Ctx } from './ctx.ts';
import { renewLocks, unlockAbandoned } from './jobs.store.ts';

const RENEW_EVERY_MS = 30_000;
/** Workers of versions that do not renew finish nearly every job sooner. */
const ABANDONED_AFTER_MS = 300_000;

export interface JobLockTimes {
  renewEveryMs?: number;
  abandonedAfterMs?: number;
}

/** @returns stops it */
export function watchJobLocks(
  ctx: Ctx,
  events: WorkerEvents,
  { renewEveryMs = RENEW_EVERY_MS, abandonedAfterMs = ABANDONED_AFTER_MS }: JobLockTimes,
): () => void {
  const running = new Set<string>();
  events.on('job:start', ({ job }) => running.add(job.id));
  events.on('job:complete', ({ job }) => running.delete(job.id));
  let isRenewing = false;
  const timer = setInterval(() => {
    // A database that is slow is not asked again before it has answered.
    if (isRenewing) return;
    isRenewing = true;
    void renew().finally(() => (isRenewing = false));
  }, renewEveryMs);

  async function renew(): Promise<void> {
    try {
      if (running.size > 0) await renewLocks(ctx, [...running]);
      const count = await unlockAbandoned(ctx, abandonedAfterMs);
      if (count > 0) ctx.log.warn({ count }, 'jobs of a worker that is gone are free again');
    } catch (error) {
      ctx.log.warn({ err: error }, 'locks of jobs were not renewed');
    }
  }

  return () => clearInterval(timer);
}
