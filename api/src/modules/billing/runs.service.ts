/** Opens gateway runs on connections, and closes those that are silent. */
import type { Ctx } from '../../ctx.ts';
import { findExitedRuns, markLost } from './runs.store.ts';
import { chargeReports, emptyReport, type RunCredit } from './usage-reports.service.ts';

/**
 * Opens a connection in a run. The unused grants of earlier processes of the node that have exited are released before; those that are
 * still alive keep theirs.
 * @returns undefined if the connection has ended
 */
export function openInRun(ctx: Ctx, connectionId: string, runId: string): Promise<RunCredit | undefined> {
  return ctx.tx(async (ctx) => {
    for (const exited of await findExitedRuns(ctx, connectionId, runId))
      await closeLostRun(ctx, exited, [connectionId]);
    // Asking for one byte grants everything that is paid, or the next megabyte.
    const [credit] = await chargeReports(ctx, runId, [emptyReport(connectionId, 1n)], 'open');
    return credit?.state === 'ended' ? undefined : credit;
  });
}

/** Closes a silent run, which releases its unused grants. If its process is alive after all, its next report reopens it. */
export function closeLostRun(ctx: Ctx, runId: string, connectionIds: readonly string[]): Promise<void> {
  return ctx.tx(async (ctx) => {
    const reports = connectionIds.map((id) => emptyReport(id));
    await chargeReports(ctx, runId, reports, 'close');
    await markLost(ctx, runId, connectionIds);
  });
}
