/** Explains the traffic of killed gateways that was not charged. */
import { BYTES_PER_MEGABYTE } from '@cellhop/contract/limits';
import type { Ctx } from '../api/src/ctx.ts';
import type { ReportTap } from './report-tap.ts';
import type { Customers } from './customers.ts';

export interface GatewayKill {
  readonly round: number;
  readonly gateway: number;
  /** The number of the gateway's process, from 0. */
  readonly generation: number;
  readonly runId: string | undefined;
  /** The bytes that customers had received from it, by connection, when it was dead. */
  readonly passedBefore: ReadonlyMap<string, number>;
}

interface Loss {
  connections: number;
  unbilledBytes: number;
  /** Counted by the gateway after its last report. */
  unreportedBytes: number;
  /** Reported, but not processed by the API. */
  unprocessedBytes: number;
  /** The part that was in kernel buffers and reached the customer after the kill. */
  deliveredLaterBytes: number;
}

/** @returns a line for each kill with a loss, and a summary */
export async function describeLosses(
  ctx: Ctx,
  customers: Customers,
  taps: readonly ReportTap[],
  kills: readonly GatewayKill[],
): Promise<string[]> {
  const losses = await Promise.all(kills.map((kill) => measureLoss(ctx, customers, taps[kill.gateway]!, kill)));
  const lines = losses.flatMap((loss, index) =>
    loss.connections > 0 ? [`round ${kills[index]!.round}, gateway killed: ${describe(loss)}`] : [],
  );
  const mean = (pick: (loss: Loss) => number) => losses.reduce((sum, loss) => sum + pick(loss), 0) / losses.length;
  if (losses.length > 0)
    lines.push(
      `mean of ${losses.length} gateway kills: ${megabytes(mean(({ unbilledBytes }) => unbilledBytes))} not charged, ` +
        `at most ${megabytes(Math.max(...losses.map(({ unbilledBytes }) => unbilledBytes)))}`,
    );
  return lines;
}

async function measureLoss(ctx: Ctx, customers: Customers, tap: ReportTap, kill: GatewayKill): Promise<Loss> {
  const rows = await ctx.db.query<{ connectionId: string; usedBytes: bigint }>(
    'select connection_id as "connectionId", used_bytes as "usedBytes" from connection_runs where run_id = $1',
    [kill.runId ?? null],
  );
  const counted = new Map(rows.map(({ connectionId, usedBytes }) => [connectionId, Number(usedBytes)]));
  const loss: Loss = {
    connections: 0,
    unbilledBytes: 0,
    unreportedBytes: 0,
    unprocessedBytes: 0,
    deliveredLaterBytes: 0,
  };
  for (const [connectionId, passed] of customers.passedThrough(kill.gateway, kill.generation)) {
    const processed = counted.get(connectionId) ?? 0;
    const sent = Math.max(processed, tap.reported(kill.runId ?? '', connectionId));
    if (passed <= processed) continue;
    loss.connections += 1;
    loss.unbilledBytes += passed - processed;
    loss.unreportedBytes += Math.max(0, passed - sent);
    loss.unprocessedBytes += Math.min(passed, sent) - processed;
    loss.deliveredLaterBytes += Math.min(passed - processed, passed - (kill.passedBefore.get(connectionId) ?? 0));
  }
  return loss;
}

function describe({
  connections,
  unbilledBytes,
  unreportedBytes,
  unprocessedBytes,
  deliveredLaterBytes,
}: Loss): string {
  return (
    `${megabytes(unbilledBytes)} not charged on ${connections} connections, of it ${megabytes(unreportedBytes)} not reported ` +
    `and ${megabytes(unprocessedBytes)} reported but not processed; ${megabytes(deliveredLaterBytes)} arrived after the kill`
  );
}

const megabytes = (bytes: number) => `${(bytes / BYTES_PER_MEGABYTE).toFixed(2)} MB`;
