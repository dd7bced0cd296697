/** Every second: ends idle connections and those of blocked users, closes those whose last report timed out, completes replacements, closes silent runs. */
import type { Ctx } from '../../ctx.ts';
import { endBlocked, endIdle, closeWithoutLastReport } from './ending.service.ts';
import { findSilentRuns } from './runs.store.ts';
import { closeLostRun } from './runs.service.ts';
import { completeReplacement } from './replacements.service.ts';
import { findUnfinished } from './replacements.store.ts';
import { findIdle, findOfBlockedUsers, findTimedOutEndings } from './ending.store.ts';

/** A run without a report for this long is closed, which releases the money held for its grants; sooner if its process has exited. */
const LEASE_MS = 60_000;
/** After this time an ending connection is billed without the gateway's last report. */
const LAST_REPORT_LIMIT_MS = 6000;
const BATCH = 200;

/**
 * Each connection is checked again under its payer's lock, so several workers may do this at once. Silent runs are not checked
 * again: one that reports just then is closed anyway, and its next report reopens it.
 */
export async function endIdleConnections(ctx: Ctx): Promise<void> {
  for (const id of await findIdle(ctx, ctx.config.idleTimeoutMs, BATCH)) await attempt(ctx, id, endIdle(ctx, id));
  for (const id of await findOfBlockedUsers(ctx, BATCH)) await attempt(ctx, id, endBlocked(ctx, id));
  for (const id of await findTimedOutEndings(ctx, LAST_REPORT_LIMIT_MS, BATCH))
    await attempt(ctx, id, closeWithoutLastReport(ctx, id));
  for (const id of await findUnfinished(ctx, BATCH)) await attempt(ctx, id, completeReplacement(ctx, id));
  for (const { runId, connectionIds } of await findSilentRuns(ctx, LEASE_MS, BATCH))
    await attempt(ctx, runId, closeLostRun(ctx, runId, connectionIds));
}

/** Logs a failure and goes on with the others; the next run of the task tries again. */
async function attempt(ctx: Ctx, id: string, work: Promise<unknown>): Promise<void> {
  await work.catch((error: unknown) => ctx.log.error({ err: error, id }, 'a connection or run could not be ended'));
}
