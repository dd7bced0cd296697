/** Runs the job runner on connections with timeouts, and detects when it has stopped. */
import { Logger, run, type Runner, type WorkerEvents } from 'graphile-worker';
import { EventEmitter } from 'node:events';
import pg from 'pg';
import type { Ctx } from '../ctx.ts';
import { BoundedClient, connectionOptions } from '../db/database-connection.ts';
import { cronItems, scheduledTasks } from './schedule.ts';
import { jobHandlers } from './job-handlers.ts';
import { renewLocks, unlockAbandoned } from './jobs.store.ts';

/** Log levels of the runner's own messages; those about each job are for debugging. */
const logMethods = { error: 'error', warning: 'warn', info: 'debug', debug: 'debug' } as const;

const CONCURRENCY = 4;
const POLL_INTERVAL_MS = 2000;
/** Statement timeout: the runner's statements touch few rows. */
const TIME_LIMIT_MS = 8000;
const PROBE_EVERY_MS = 5000;

export interface JobRunner {
  /** Waits for running jobs. */
  stop(): Promise<void>;
  /** Resolves when the runner has stopped, for any reason. */
  readonly ended: Promise<void>;
}

interface JobRunnerTimes extends JobLockTimes {
  probeEveryMs?: number;
}

/** @throws Error if the database does not respond */
export async function startJobRunner(
  ctx: Ctx,
  { probeEveryMs = PROBE_EVERY_MS, ...lockTimes }: JobRunnerTimes = {},
): Promise<JobRunner> {
  // A pool of its own, because the runner needs the driver's default parsers and listens for new jobs on one connection.
  const pgPool = new pg.Pool({
    ...connectionOptions(ctx.config.databaseUrl, ctx.config.databaseTimeLimitMs ?? TIME_LIMIT_MS),
    Client: BoundedClient,
    max: CONCURRENCY + 2,
  });
  // The pool replaces broken connections; without handlers their errors would end the process.
  pgPool.on('error', () => {});
  pgPool.on('connect', (client) => client.on('error', () => {}));
  const events: WorkerEvents = new EventEmitter();
  probeListener(events, probeEveryMs);
  const fetching = firstFetch(events);
  const stopWatchingLocks = startJobLockRenewal(ctx, events, lockTimes);
  try {
    const runner = await run({
      pgPool,
      events,
      taskList: { ...jobHandlers(ctx), ...scheduledTasks(ctx) },
      concurrency: CONCURRENCY,
      pollInterval: POLL_INTERVAL_MS,
      noHandleSignals: true,
      parsedCronItems: cronItems(),
      logger: new Logger(() => (level, message) => ctx.log[logMethods[level]](message)),
      // Without batching the runner does not handle rejections of a job's completion, which would end the process.
      preset: { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
    });
    const ended = untilEnded(ctx, runner, pgPool).finally(stopWatchingLocks);
    const error = await Promise.race([fetching, ended]);
    if (!error) return { ended, stop: () => runner.stop() };
    await runner.stop();
    await ended;
    throw error;
  } catch (error) {
    stopWatchingLocks();
    if (!pgPool.ending) await pgPool.end();
    throw error;
  }
}

/**
 * Detects whether the runner's first fetch failed. The runner caches the promise of the task ids even if it was rejected, so
 * after such a failure it never fetches a job.
 * @returns the error, if any
 */
function firstFetch(events: WorkerEvents): Promise<Error | undefined> {
  return new Promise((resolve) => {
    events.once('worker:getJob:error', ({ error }) => resolve(error as Error));
    events.once('worker:getJob:empty', () => resolve(undefined));
    events.once('job:start', () => resolve(undefined));
  });
}

/** Never rejects; logs why the runner ended. */
async function untilEnded(ctx: Ctx, runner: Runner, pool: pg.Pool): Promise<void> {
  await runner.promise.catch((error: unknown) => ctx.log.error({ err: error }, 'the job runner has failed'));
  await pool.end();
}

/** Probes the listening connection, which would not notice otherwise that it is cut off. */
function probeListener(events: WorkerEvents, probeEveryMs: number): void {
  let timer: NodeJS.Timeout | undefined;
  events.on('pool:listen:success', ({ client }) => {
    const probeLater = () => {
      timer = setTimeout(() => {
        // The client has already ended itself. The runner only reacts to error events, and then opens a new connection.
        void client.query('select 1').then(probeLater, (error: unknown) => client.emit('error', error));
      }, probeEveryMs);
    };
    probeLater();
  });
  events.on('pool:listen:release', () => clearTimeout(timer));
}

const RENEW_EVERY_MS = 30_000;
/** Several missed renewals. */
const ABANDONED_AFTER_MS = 300_000;

interface JobLockTimes {
  renewEveryMs?: number;
  abandonedAfterMs?: number;
}

/**
 * The job runner locks a job when it fetches it, and another runner takes it over after four hours. After a killed process, or a
 * response lost with its connection, a recovery mail would be delayed until its link has expired. So the locks of running jobs are
 * renewed, and locks that are not renewed are released.
 * @returns a function that stops it
 */
function startJobLockRenewal(
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
