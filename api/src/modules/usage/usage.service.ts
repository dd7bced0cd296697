/**
 * Traffic and costs of a user's connections over time. Costs come from the ledger, at the time of posting. Traffic comes from the
 * counters of the connections: totals are exact, the assignment to hours is exact to a minute.
 */
import { toDollars, toKibibytes } from '@cellhop/contract/units';
import { USAGE_CONNECTIONS_MAX, type Usage, type UsageQuery } from '@cellhop/contract/usage';
import type { Actor } from '../../http/actor.ts';
import type { Ctx } from '../../ctx.ts';
import * as store from './usage.store.ts';

export async function readUsage(ctx: Ctx, actor: Actor, query: UsageQuery): Promise<Usage> {
  const { points, connections } = await store.findUsage(ctx, actor.userId, query, USAGE_CONNECTIONS_MAX);
  return {
    total: present(sum(points)),
    points: points.map((point) => ({ at: point.at.toISOString(), ...present(point) })),
    connections: connections.map((connection) => ({
      id: connection.id,
      ip: connection.ip,
      countryCode: connection.countryCode,
      createdAt: connection.createdAt.toISOString(),
      ...present(connection),
    })),
  };
}

/** Saves the current counters of open connections. Safe to run in several workers at once. */
export function recordTraffic(ctx: Ctx): Promise<void> {
  return store.recordTraffic(ctx);
}

function present({ usedBytes, uploadedBytes, spentMicros }: store.Amounts) {
  return {
    trafficUsed: toKibibytes(usedBytes),
    uploaded: toKibibytes(uploadedBytes),
    spent: toDollars(spentMicros),
  };
}

function sum(all: readonly store.Amounts[]): store.Amounts {
  return all.reduce(
    (total, each) => ({
      usedBytes: total.usedBytes + each.usedBytes,
      uploadedBytes: total.uploadedBytes + each.uploadedBytes,
      spentMicros: total.spentMicros + each.spentMicros,
    }),
    { usedBytes: 0n, uploadedBytes: 0n, spentMicros: 0n },
  );
}
