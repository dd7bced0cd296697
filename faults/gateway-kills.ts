/** Where the traffic went that a killed gateway has moved and nobody is charged for. */
import { BYTES_PER_MEGABYTE } from '@cellhop/contract/limits';
import type { Ctx } from '../api/src/ctx.ts';
import type { ReportWatch } from './report-watch.ts';
import type { Shop } from './shop.ts';

export interface GatewayKill {
  readonly round: number;
  readonly gateway: number;
  /** Which of this gateway's processes it was, from 0. */
  readonly generation: number;
  readonly runId: string | undefined;
  /** What customers had got from it, by connection, when it was dead. */
  readonly passedByThen: ReadonlyMap<string, number>;
}

interface Loss {
  connections: number;
  givenAway: number;
  /** Counted by the gateway since it had last sent a report. */
  unreported: number;
  /** Sent to the API, which has not taken it in. */
  untaken: number;
  /** Of all of it, what lay in the kernel's buffers and reached the customer after the kill. */
  deliveredLater: number;
}

/** @returns a line for each kill that cost something, and one for all of them */
export async function tellLosses(
  ctx: Ctx,
  shop: Shop,
  watches: readonly ReportWatch[],
  kills: readonly GatewayKill[],
): Promise<string[]> {
  const losses = await Promise.all(kills.map((kill) => lossOf(ctx, shop, watches[kill.gateway]!, kill)));
  const lines = losses.flatMap((loss, index) =>
    loss.connections > 0 ? [`round ${kills[index]!.round}, gateway killed: ${describe(loss)}`] : [],
  );
  const mean = (pick: (loss: Loss) => number) => losses.reduce((sum, loss) => sum + pick(loss), 0) / losses.length;
  if (losses.length > 0)
    lines.push(
      `mean of ${losses.length} gateway kills: ${megabytes(mean(({ givenAway }) => givenAway))} given away, ` +
        `at most ${megabytes(Math.max(...losses.map(({ givenAway }) => givenAway)))}`,
    );
  return lines;
}

async function lossOf(ctx: Ctx, shop: Shop, watch: ReportWatch, kill: GatewayKill): Promise<Loss> {
  const rows = await ctx.db.query<{ connectionId: string; usedBytes: bigint }>(
    'select connection_id as "connectionId", used_bytes as "usedBytes" from connection_runs where run_id = $1',
    [kill.runId ?? null],
  );
  const counted = new Map(rows.map(({ connectionId, usedBytes }) => [connectionId, Number(usedBytes)]));
  const loss: Loss = { connections: 0, givenAway: 0, unreported: 0, untaken: 0, deliveredLater: 0 };
  for (const [connectionId, passed] of shop.passedThrough(kill.gateway, kill.generation)) {
    const taken = counted.get(connectionId) ?? 0;
    const sent = Math.max(taken, watch.reported(kill.runId ?? '', connectionId));
    if (passed <= taken) continue;
    loss.connections += 1;
    loss.givenAway += passed - taken;
    loss.unreported += Math.max(0, passed - sent);
    loss.untaken += Math.min(passed, sent) - taken;
    loss.deliveredLater += Math.min(passed - taken, passed - (kill.passedByThen.get(connectionId) ?? 0));
  }
  return loss;
}

function describe({ connections, givenAway, unreported, untaken, deliveredLater }: Loss): string {
  return (
    `${megabytes(givenAway)} given away on ${connections} connections, of it ${megabytes(unreported)} not reported yet ` +
    `and ${megabytes(untaken)} reported but not taken in; ${megabytes(deliveredLater)} arrived after the kill`
  );
}

const megabytes = (bytes: number) => `${(bytes / BYTES_PER_MEGABYTE).toFixed(2)} MB`;
