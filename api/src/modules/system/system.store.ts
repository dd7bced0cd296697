import type { JobState } from '@cellhop/contract/staff/system.values';
import type { Ctx } from '../../ctx.ts';
import { toOffset, type PageQuery } from '../../http/paging.ts';

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

/** The runner counts an attempt when it starts. Private tables, because the runner's view lacks the payload; its version is pinned. */
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
       from (select from graphile_worker._private_jobs where $1::text is null or ${STATE} = $1 limit $2) as listed`,
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
       from graphile_worker._private_jobs`,
  );
  return row!;
}

export interface DatabaseFigures {
  version: string;
  bytes: bigint;
  connections: number;
  connectionsMax: number;
}

export async function readDatabaseFigures(ctx: Ctx): Promise<DatabaseFigures> {
  const [row] = await ctx.db.query<DatabaseFigures>(
    `select current_setting('server_version') as version, pg_database_size(current_database()) as bytes,
            (select count(*)::int from pg_stat_activity where backend_type = 'client backend') as connections,
            current_setting('max_connections')::int as "connectionsMax"`,
  );
  return row!;
}
