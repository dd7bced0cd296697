/** What time brings about: idle connections, those of blocked users, ends without a last report, gateways that fell silent. */
import type { Ctx } from '../../ctx.ts';
import { endBlocked, endIdle, finishOverdue } from './ending.service.ts';
import { findSilentRuns, markLost } from './runs.store.ts';
import { reportNothing, settleReports } from './settlement.service.ts';
import { findIdle, findOfBlockedUsers, findOverdueEndings } from './sweep.store.ts';

/** A run that was not heard of for this long is over: the money that its grants hold is free again. */
const LEASE_MS = 60_000;
/** After this the bill of an end is made without the gateway's last report. */
const LAST_REPORT_LIMIT_MS = 6000;
const BATCH = 200;

/**
 * Each connection is looked at again under its payer's lock, so several workers may sweep at once. A silent run is not:
 * one that speaks again just then is closed all the same, and its gateway authorizes anew.
 */
export async function sweepConnections(ctx: Ctx): Promise<void> {
  for (const id of await findIdle(ctx, ctx.config.idleTimeoutMs, BATCH)) await attempt(ctx, id, endIdle(ctx, id));
  for (const id of await findOfBlockedUsers(ctx, BATCH)) await attempt(ctx, id, endBlocked(ctx, id));
  for (const id of await findOverdueEndings(ctx, LAST_REPORT_LIMIT_MS, BATCH))
    await attempt(ctx, id, finishOverdue(ctx, id));
  for (const { runId, connectionIds } of await findSilentRuns(ctx, LEASE_MS, BATCH))
    await attempt(ctx, runId, closeSilent(ctx, runId, connectionIds));
}

function closeSilent(ctx: Ctx, runId: string, connectionIds: readonly string[]): Promise<void> {
  return ctx.tx(async (ctx) => {
    const reports = connectionIds.map((id) => reportNothing(id));
    await settleReports(ctx, runId, reports, 'close');
    await markLost(ctx, runId, connectionIds);
  });
}

/** One that fails is logged and tried again at the next turn; it does not hold up those behind it. */
async function attempt(ctx: Ctx, id: string, work: Promise<unknown>): Promise<void> {
  await work.catch((error: unknown) => ctx.log.error({ err: error, id }, 'not swept'));
}
