/**
 * What a user's connections moved and cost over time. Money is what the ledger posted, at the time it was posted.
 * Traffic is what the connections have counted: its sum is exact, and which hour it falls into is exact to a minute.
 */
import { toDollars, toKibibytes } from '@cellhop/contract/units';
import { USAGE_CONNECTIONS_MAX, type Usage, type UsageQuery } from '@cellhop/contract/usage';
import type { Actor } from '../../actor.ts';
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

/** Notes how far the open connections have counted by now. Safe to run in several workers at once. */
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
