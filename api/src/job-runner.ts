/** The job runner on connections whose waits end, and whether it still runs. */
import { Logger, run, type Runner, type WorkerEvents } from 'graphile-worker';
import { EventEmitter } from 'node:events';
import pg from 'pg';
import type { Ctx } from './ctx.ts';
import { BoundedClient, connectionOptions } from './database-connection.ts';
import { type JobLockTimes, watchJobLocks } from './job-locks.ts';
import { cronItems, scheduledTasks } from './schedule.ts';
import { tasks } from './tasks.ts';

/** The runner's own lines, in our log; what it says at each job is for looking for faults. */
const logMethods = { error: 'error', warning: 'warn', info: 'debug', debug: 'debug' } as const;

const CONCURRENCY = 4;
const POLL_INTERVAL_MS = 2000;
/** Its statements touch few rows. */
const TIME_LIMIT_MS = 8000;
const PROBE_EVERY_MS = 5000;

export interface JobRunner {
  /** Lets the jobs that run come to their end. */
  stop(): Promise<void>;
  /** Resolves when it runs no longer, whoever wanted that. */
  readonly ended: Promise<void>;
}

interface JobRunnerTimes extends JobLockTimes {
  probeEveryMs?: number;
}

/** @throws Error when the database does not answer now */
export async function startJobRunner(
  ctx: Ctx,
  { probeEveryMs = PROBE_EVERY_MS, ...lockTimes }: JobRunnerTimes = {},
): Promise<JobRunner> {
  // Its own: it needs the driver's default parsers, and one of its connections listens for new jobs.
  const pgPool = new pg.Pool({
    ...connectionOptions(ctx.config.databaseUrl, ctx.config.databaseTimeLimitMs ?? TIME_LIMIT_MS),
    Client: BoundedClient,
    max: CONCURRENCY + 2,
  });
  // A connection that breaks is replaced by the pool; without handlers it would end the process.
  pgPool.on('error', () => {});
  pgPool.on('connect', (client) => client.on('error', () => {}));
  const events: WorkerEvents = new EventEmitter();
  keepListening(events, probeEveryMs);
  const fetching = firstFetch(events);
  const stopWatchingLocks = watchJobLocks(ctx, events, lockTimes);
  try {
    const runner = await run({
      pgPool,
      events,
      taskList: { ...tasks(ctx), ...scheduledTasks(ctx) },
      concurrency: CONCURRENCY,
      pollInterval: POLL_INTERVAL_MS,
      noHandleSignals: true,
      parsedCronItems: cronItems(),
      logger: new Logger(() => (level, message) => ctx.log[logMethods[level]](message)),
      // Without a batch the runner leaves the promise of a job's completion to itself: rejected, it would end the process.
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
 * Whether the runner's first fetch of a job failed. The runner caches the promise of the task ids, also a rejected one:
 * after such a failure it never fetches a job.
 */
function firstFetch(events: WorkerEvents): Promise<Error | undefined> {
  return new Promise((resolve) => {
    events.once('worker:getJob:error', ({ error }) => resolve(error as Error));
    events.once('worker:getJob:empty', () => resolve(undefined));
    events.once('job:start', () => resolve(undefined));
  });
}

/** Never rejects: why it has ended is for the log alone. */
async function untilEnded(ctx: Ctx, runner: Runner, pool: pg.Pool): Promise<void> {
  await runner.promise.catch((error: unknown) => ctx.log.error({ err: error }, 'the job runner has failed'));
  await pool.end();
}

/** A connection that listens and is cut off hears nothing, and so would nobody hear that it is. */
function keepListening(events: WorkerEvents, probeEveryMs: number): void {
  let timer: NodeJS.Timeout | undefined;
  events.on('pool:listen:success', ({ client }) => {
    const probeLater = () => {
      timer = setTimeout(() => {
        // The client has ended itself by then; the runner hears of errors alone, and takes another one.
        void client.query('select 1').then(probeLater, (error: unknown) => client.emit('error', error));
      }, probeEveryMs);
    };
    probeLater();
  });
  events.on('pool:listen:release', () => clearTimeout(timer));
}
