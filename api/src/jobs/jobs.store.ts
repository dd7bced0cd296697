/**
 * The only file with statements on the runner's private tables: its public functions change jobs, and its view
 * `graphile_worker.jobs` shows all but the payload. What they cannot do reads or changes these tables. jobs.store.test.ts lists
 * their columns, and fails when a version of the runner changes them.
 */
import type { JobState } from '@cellhop/contract/staff/lists.values';
import type { Ctx } from '../ctx.ts';
import { toOffset, type PageQuery } from '../http/paging.ts';

export interface JobProgress {
  /** It runs, or will run. */
  isPending: boolean;
  lastError: string | null;
}

export interface JobRow {
  id: bigint;
  name: string;
  state: JobState;
  attempts: number;
  attemptsMax: number;
  lastError: string | null;
  createdAt: Date;
  runAt: Date;
  /** False for a mail whose contents were deleted. */
  isWhole: boolean;
}

/** The runner counts an attempt when it starts. */
const STATE = `
  case when locked_at is not null then 'RUNNING' when attempts >= max_attempts then 'FAILED'
       when attempts > 0 then 'RETRYING' else 'WAITING' end`;
const SELECT_JOB = `
  select jobs.id, identifier as name, ${STATE} as state, attempts::integer, max_attempts::integer as "attemptsMax",
         last_error as "lastError", created_at as "createdAt", run_at as "runAt",
         identifier not like 'mail.%' or payload::jsonb ?| array['values', 'sealedOrder', 'link'] as "isWhole"
    from graphile_worker._private_jobs as jobs
    join graphile_worker._private_tasks as tasks on tasks.id = task_id`;

/** The failed ones first, then by the time of their next attempt. @param state null: all */
export function listJobs(ctx: Ctx, state: JobState | null, page: PageQuery): Promise<JobRow[]> {
  return ctx.db.query(
    `${SELECT_JOB} where $1::text is null or ${STATE} = $1
      order by attempts >= max_attempts desc, run_at, jobs.id limit $2 offset $3`,
    [state, page.size, toOffset(page)],
    { isPrepared: false },
  );
}

export async function countJobs(ctx: Ctx, state: JobState | null, limit: number): Promise<number> {
  const [row] = await ctx.db.query<{ count: number }>(
    `select count(*)::int as count
       from (select from graphile_worker.jobs where $1::text is null or ${STATE} = $1 limit $2) as listed`,
    [state, limit],
    { isPrepared: false },
  );
  return row!.count;
}

export async function findJob(ctx: Ctx, id: string): Promise<JobRow | undefined> {
  const [row] = await ctx.db.query<JobRow>(`${SELECT_JOB} where jobs.id = $1`, [id]);
  return row;
}

/** Prevents workers from starting the job until the end of the transaction. */
export async function lockJob(ctx: Ctx, id: string): Promise<JobRow | undefined> {
  const [row] = await ctx.db.query<JobRow>(`${SELECT_JOB} where jobs.id = $1 for update of jobs`, [id]);
  return row;
}

export async function rescheduleJob(ctx: Ctx, id: string): Promise<void> {
  await ctx.db.query(
    'select id from graphile_worker.reschedule_jobs(array[$1::bigint], run_at => now(), attempts => 0)',
    [id],
  );
}

export interface JobCounts {
  waiting: number;
  running: number;
  failed: number;
  oldestDueAt: Date | null;
}

export async function readJobCounts(ctx: Ctx): Promise<JobCounts> {
  const [row] = await ctx.db.query<JobCounts>(
    `select count(*) filter (where locked_at is not null)::int as running,
            count(*) filter (where locked_at is null and attempts >= max_attempts)::int as failed,
            count(*) filter (where locked_at is null and attempts < max_attempts)::int as waiting,
            min(run_at) filter (where locked_at is null and attempts < max_attempts and run_at <= now()) as "oldestDueAt"
       from graphile_worker.jobs`,
  );
  return row!;
}

/** Mails that failed are tried again every ten minutes. */
export async function hastenMails(ctx: Ctx): Promise<void> {
  await ctx.db.query(
    `select id from graphile_worker.reschedule_jobs(array(
       select id from graphile_worker.jobs
        where task_identifier like 'mail.%' and attempts between 1 and max_attempts - 1 and locked_at is null
          and run_at > now() + interval '10 minutes'
     ), run_at => now() + interval '10 minutes')`,
  );
}

/**
 * After the database's clock was set back: a job waits at most as long as the runner lets it after its attempts, or `hastenMails`, unless
 * it is its first attempt and a person chose the time; no job was added in the future; and a lock counts from now.
 * @param chosen the names of jobs whose time a person chooses
 */
export async function correctFutureJobs(ctx: Ctx, chosen: readonly string[]): Promise<void> {
  await ctx.db.query(
    `select id from graphile_worker.reschedule_jobs(array(
       select id from graphile_worker.jobs
        where locked_at is null and attempts < max_attempts and run_at > now() + interval '10 seconds' +
                case when attempts = 0 then interval '0' else greatest(exp(least(attempts, 10)), 600) * interval '1 second' end
          and not (attempts = 0 and task_identifier = any($1))
     ), run_at => now())`,
    [chosen],
  );
  await ctx.db.query(
    `update graphile_worker._private_jobs
        set created_at = least(created_at, now()), locked_at = case when locked_at > now() then now() else locked_at end
      where created_at > now() + interval '10 seconds' or locked_at > now() + interval '10 seconds'`,
  );
}

/** Not of news, which are queued slowly. */
export async function readMailAge(ctx: Ctx): Promise<number> {
  const [row] = await ctx.db.query<{ seconds: number }>(
    `select coalesce(extract(epoch from now() - min(created_at)), 0)::float8 as seconds from graphile_worker.jobs
      where task_identifier in ('mail.deliver', 'mail.deliver-notice', 'mail.deliver-alert') and attempts < max_attempts`,
  );
  return Math.max(0, row!.seconds);
}

/** The newest job with these values in its payload. */
export async function findProgress(ctx: Ctx, name: string, values: object): Promise<JobProgress | undefined> {
  const [row] = await ctx.db.query<JobProgress>(
    `select locked_at is not null or attempts < max_attempts as "isPending", last_error as "lastError"
       from graphile_worker._private_jobs as jobs join graphile_worker._private_tasks as tasks on tasks.id = task_id
      where identifier = $1 and payload::jsonb @> $2::jsonb order by jobs.id desc limit 1`,
    [name, JSON.stringify(values)],
  );
  return row;
}

/** Does nothing if there is none. */
export async function removeJob(ctx: Ctx, key: string): Promise<void> {
  await ctx.db.query('select id from graphile_worker.remove_job($1)', [key]);
}

/** Those that run or will run, at most `limit`. */
export async function countWaiting(ctx: Ctx, name: string, limit: number): Promise<number> {
  const [row] = await ctx.db.query<{ count: number }>(
    `select count(*)::integer as count
       from (select from graphile_worker._private_jobs
              where task_id = (select id from graphile_worker._private_tasks where identifier = $1)
                and attempts < max_attempts limit $2) as waiting`,
    [name, limit],
  );
  return row!.count;
}

/** @param limit null: counts all */
export async function countFailed(ctx: Ctx, limit: number | null = null): Promise<number> {
  const [row] = await ctx.db.query<{ count: number }>(
    `select count(*)::integer as count
       from (select from graphile_worker._private_jobs where locked_at is null and attempts >= max_attempts limit $1) as failed`,
    [limit],
  );
  return row!.count;
}

/** @returns how many there were, at most `limit` */
export async function deleteExpiredMails(ctx: Ctx, limit: number): Promise<number> {
  const rows = await ctx.db.query(
    `select id from graphile_worker.complete_jobs(array(
       select id from graphile_worker._private_jobs
        where locked_at is null
          -- ISO 8601 texts sort like the dates.
          and payload ->> 'expiredAt' < to_char(now() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
        limit $1
     ))`,
    [limit],
  );
  return rows.length;
}

/** @returns how many there were, at most `limit` */
export async function deleteFailed(ctx: Ctx, limit: number): Promise<number> {
  const rows = await ctx.db.query(
    `select id from graphile_worker.complete_jobs(array(
       select id from graphile_worker.jobs
        where attempts >= max_attempts and updated_at < now() - interval '30 days' and locked_at is null
        limit $1
     ))`,
    [limit],
  );
  return rows.length;
}

/** Removes the contents of failed mails. @returns the number of changed rows, at most `limit` */
export async function deleteMailContents(ctx: Ctx, limit: number): Promise<number> {
  const rows = await ctx.db.query(
    `update graphile_worker._private_jobs set payload = (payload::jsonb - 'values' - 'sealedOrder' - 'link')::json
      where id in (
        select jobs.id
          from graphile_worker._private_jobs as jobs join graphile_worker._private_tasks as tasks on tasks.id = task_id
         where identifier in ('mail.deliver', 'mail.deliver-notice', 'mail.deliver-alert', 'mail.deliver-news', 'mail.none') and attempts >= max_attempts
           and locked_at is null and payload::jsonb ?| array['values', 'sealedOrder', 'link']
         limit $1
      ) returning id`,
    [limit],
  );
  return rows.length;
}

/** Renews the locks of running jobs. */
export async function renewLocks(ctx: Ctx, ids: readonly string[]): Promise<void> {
  await ctx.db.query(
    'update graphile_worker._private_jobs set locked_at = now() where id = any($1::bigint[]) and locked_at is not null',
    [ids],
  );
}

/**
 * Not `force_unlock_workers`: a worker whose connection broke as it fetched a job is alive, and may be running another one.
 * @returns the number of released jobs
 */
export async function unlockAbandoned(ctx: Ctx, abandonedAfterMs: number): Promise<number> {
  const rows = await ctx.db.query(
    `update graphile_worker._private_jobs set locked_at = null, locked_by = null
      where locked_at < now() - $1 * interval '1 millisecond' returning id`,
    [abandonedAfterMs],
  );
  return rows.length;
}
