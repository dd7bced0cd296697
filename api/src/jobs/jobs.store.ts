import type { Ctx } from '../ctx.ts';

export interface JobState {
  /** It runs, or will run. */
  isPending: boolean;
  lastError: string | null;
}

/** The newest job with these values in its payload, in the private table of the runner, whose version is pinned. */
export async function findJob(ctx: Ctx, name: string, values: object): Promise<JobState | undefined> {
  const [row] = await ctx.db.query<JobState>(
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

export async function countFailed(ctx: Ctx): Promise<number> {
  const [row] = await ctx.db.query<{ count: number }>(
    'select count(*)::integer as count from graphile_worker.jobs where attempts >= max_attempts',
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

/**
 * Removes the contents of failed mails. The runner has no function for that, so this uses its private table, whose version is pinned.
 * @returns the number of changed rows, at most `limit`
 */
export async function deleteMailContents(ctx: Ctx, limit: number): Promise<number> {
  const rows = await ctx.db.query(
    `update graphile_worker._private_jobs set payload = (payload::jsonb - 'values' - 'sealedOrder' - 'link')::json
      where id in (
        select jobs.id
          from graphile_worker._private_jobs as jobs join graphile_worker._private_tasks as tasks on tasks.id = task_id
         where identifier in ('mail.deliver', 'mail.none') and attempts >= max_attempts
           and locked_at is null and payload::jsonb ?| array['values', 'sealedOrder', 'link']
         limit $1
      ) returning id`,
    [limit],
  );
  return rows.length;
}

/** Renews the locks of running jobs, in the private table of the runner, whose version is pinned. */
export async function renewLocks(ctx: Ctx, ids: readonly string[]): Promise<void> {
  await ctx.db.query(
    'update graphile_worker._private_jobs set locked_at = now() where id = any($1::bigint[]) and locked_at is not null',
    [ids],
  );
}

/** @returns the number of released jobs */
export async function unlockAbandoned(ctx: Ctx, abandonedAfterMs: number): Promise<number> {
  const rows = await ctx.db.query(
    `update graphile_worker._private_jobs set locked_at = null, locked_by = null
      where locked_at < now() - $1 * interval '1 millisecond' returning id`,
    [abandonedAfterMs],
  );
  return rows.length;
}
