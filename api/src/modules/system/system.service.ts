/** The state of the system for staff, and the retry of jobs. */
import { AppError } from '@cellhop/contract/errors';
import type { Job, SystemState } from '@cellhop/contract/staff/system';
import type { JobState } from '@cellhop/contract/staff/lists.values';
import type { Ctx } from '../../ctx.ts';
import { readListed, type PageQuery } from '../../http/paging.ts';
import type { Actor } from '../../http/actor.ts';
import type { Requester } from '../../http/requester.ts';
import { record } from '../audit-log/audit-log.service.ts';
import { showAccounts, showChains, showPeg, showRateSources } from '../invoices/chain-overview.service.ts';
import { showReconciliation } from '../reconciliation/reconciliation.service.ts';
import { hideSecrets } from '../../jobs/jobs.ts';
import * as jobsStore from '../../jobs/jobs.store.ts';
import { readDatabaseFigures } from './system.store.ts';

export async function showState(ctx: Ctx): Promise<SystemState> {
  const [reconciliation, jobs, chains, accounts, rateSources, peg, database] = await Promise.all([
    showReconciliation(ctx),
    jobsStore.readJobCounts(ctx),
    showChains(ctx),
    showAccounts(ctx),
    showRateSources(ctx),
    showPeg(ctx),
    readDatabaseFigures(ctx),
  ]);
  return {
    reconciliation,
    jobs: { ...jobs, oldestDueAt: jobs.oldestDueAt?.toISOString() ?? null },
    chains,
    accounts,
    rateSources,
    peg,
    database: { ...database, bytes: Number(database.bytes), pool: ctx.poolUsage() },
  };
}

export async function listJobs(ctx: Ctx, query: PageQuery & { state?: JobState | undefined }) {
  const state = query.state ?? null;
  const { rows, ...pages } = await readListed(query, {
    list: () => jobsStore.listJobs(ctx, state, query),
    count: (limit) => jobsStore.countJobs(ctx, state, limit),
  });
  return { data: rows.map(presentJob), ...pages };
}

/** Runs a job now, with all its attempts again. @throws AppError NOT_FOUND, JOB_NOT_FAILED */
export function retryJob(
  ctx: Ctx,
  { userId: actorId }: Pick<Actor, 'userId'>,
  { id, reason }: { id: string; reason: string | undefined },
  requester: Requester,
): Promise<Job> {
  return ctx.tx(async (ctx) => {
    const job = await jobsStore.lockJob(ctx, id);
    if (!job) throw new AppError('NOT_FOUND', { thing: 'Job' });
    if (!canRetry(job)) throw new AppError('JOB_NOT_FAILED');
    await jobsStore.rescheduleJob(ctx, id);
    await record(ctx, {
      action: 'JOB_RETRIED',
      actorId,
      subject: { type: 'JOB' },
      requester,
      reason,
      details: { name: job.name, job: id },
      before: { state: job.state, attempts: job.attempts },
      after: { state: 'WAITING', attempts: 0 },
    });
    return presentJob((await jobsStore.findJob(ctx, id))!);
  });
}

function canRetry({ state, isWhole }: jobsStore.JobRow): boolean {
  return (state === 'FAILED' || state === 'RETRYING') && isWhole;
}

function presentJob(row: jobsStore.JobRow): Job {
  const { name, state, attempts, attemptsMax } = row;
  return {
    id: String(row.id),
    name,
    state,
    attempts,
    attemptsMax,
    lastError: row.lastError === null ? null : hideSecrets(row.lastError),
    createdAt: row.createdAt.toISOString(),
    runAt: row.runAt.toISOString(),
    canRetry: canRetry(row),
  };
}
