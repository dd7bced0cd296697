/** What time brings about: idle connections, ends without a last report, gateways that fell silent. */
import { AppError } from '@cellhop/contract/errors';
import type { Ctx } from '../../ctx.ts';
import { findIdle, findOverdueEndings } from './connections.store.ts';
import { finishOverdue, requestEnd } from './ending.ts';
import { findSilentRuns } from './runs.store.ts';
import { settleReports } from './settlement.ts';

/** A run that was not heard of for this long is over: the money that its grants hold is free again. */
const LEASE_MS = 60_000;
/** After this the bill of an end is made without the gateway's last report. */
const LAST_REPORT_LIMIT_MS = 6000;
const BATCH = 200;

/** Each connection is looked at again under its payer's lock, so several workers may sweep at once. */
export async function sweepConnections(ctx: Ctx): Promise<void> {
  for (const id of await findIdle(ctx, ctx.config.idleTimeoutMs, BATCH))
    await requestEnd(ctx, id, 'IDLE').catch(ignoreEnded);
  for (const id of await findOverdueEndings(ctx, LAST_REPORT_LIMIT_MS, BATCH)) await finishOverdue(ctx, id);
  for (const { runId, connectionIds } of await findSilentRuns(ctx, LEASE_MS, BATCH))
    await settleReports(ctx, runId, connectionIds.map(nothingMore), 'close');
}

function nothingMore(connectionId: string) {
  return { connectionId, usedBytes: 0n, wantedBytes: 0n };
}

/** Somebody else ended it between the two looks. */
function ignoreEnded(error: unknown): void {
  if (!(error instanceof AppError && error.code === 'NOT_CONNECTED')) throw error;
}
