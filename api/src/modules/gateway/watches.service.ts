/** The long polls of gateway runs: what must end, and whose access has changed. */
import type { watch as watchEndpoint } from '@cellhop/contract/gateway';
import type { z } from 'zod';
import type { Ctx } from '../../ctx.ts';
import type { GatewayTopic } from '../../live/changes.ts';
import { findConnectionsOfRuns, findEnding, findEndsOfRuns } from '../billing/ending.service.ts';
import { findPurchaseNetworks, readAccess } from '../connections/access.service.ts';
import { findOwnRun } from './gateway.service.ts';
import type { LongPolls, RunChanges } from './long-polls.ts';

/**
 * Waits for changes of the run's connections (a long poll).
 * @returns the changes; none after the time limit, or if there are too many long polls
 */
export async function watch(
  ctx: Ctx,
  longPolls: LongPolls,
  nodeId: string,
  { runId }: z.output<typeof watchEndpoint.body>,
): Promise<RunChanges> {
  await findOwnRun(ctx, runId, nodeId);
  const changes = longPolls.wait(runId, nodeId);
  // Starts to wait before the query, so that no end is missed between the two.
  const alreadyEnding = await findEnding(ctx, runId);
  if (alreadyEnding.length > 0) longPolls.respond(runId, { ended: toReasons(alreadyEnding) });
  return changes;
}

/** Responds to the long polls of all runs that wait for this change of these connections. */
export async function respondToWatches(
  ctx: Ctx,
  longPolls: LongPolls,
  topic: GatewayTopic,
  connectionIds: readonly string[],
): Promise<void> {
  const { runIds } = longPolls;
  if (runIds.length === 0) return;
  if (topic === 'ending') {
    const ends = groupByRun(await findEndsOfRuns(ctx, connectionIds, runIds));
    for (const [runId, endsOfRun] of ends) longPolls.respond(runId, { ended: toReasons(endsOfRun) });
    return;
  }
  if (topic === 'bought') {
    for (const [nodeId, bought] of await findPurchaseNetworks(ctx, connectionIds))
      for (const runId of longPolls.runsOfNode(nodeId)) longPolls.respond(runId, { bought });
    return;
  }
  if (topic === 'destinations') {
    for (const runId of runIds) longPolls.respond(runId, { areDestinationsChanged: true });
    return;
  }
  const areAllowListsChanged = topic === 'allow-list';
  const accessById = await readAccess(ctx, connectionIds);
  const found = groupByRun(await findConnectionsOfRuns(ctx, [...accessById.keys()], runIds));
  for (const runId of areAllowListsChanged ? runIds : found.keys()) {
    const ids = (found.get(runId) ?? []).map(({ connectionId }) => connectionId);
    longPolls.respond(runId, { changed: new Map(ids.map((id) => [id, accessById.get(id)!])), areAllowListsChanged });
  }
}

function toReasons(ends: readonly { connectionId: string; reason: string }[]): Map<string, string> {
  return new Map(ends.map(({ connectionId, reason }) => [connectionId, reason]));
}

function groupByRun<Item extends { runId: string }>(items: readonly Item[]): Map<string, Item[]> {
  const byRun = new Map<string, Item[]>();
  for (const item of items) byRun.set(item.runId, [...(byRun.get(item.runId) ?? []), item]);
  return byRun;
}
