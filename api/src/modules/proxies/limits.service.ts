/** Ports, tunnels and speed of connections: limits of each proxy, over the settings of the shop. */
import type { ConnectionLimits } from '@cellhop/contract/connection-limits';
import { AppError } from '@cellhop/contract/errors';
import type { Config } from '../../process/config.ts';
import type { Ctx } from '../../ctx.ts';
import { STAFF } from '../../live/changes.ts';
import { record } from '../audit-log/audit-log.service.ts';
import type { Editor } from './inventory.service.ts';
import * as store from './limits.store.ts';

export type { LimitsRow } from './limits.store.ts';

/** The proxy's own limits; null: the setting applies. */
export function ownLimits({ portRule, tunnelsMax, bytesPerSecondMax }: store.LimitsRow): ConnectionLimits {
  return { ports: portRule, tunnels: tunnelsMax, bytesPerSecond: bytesPerSecondMax };
}

/** What applies to the connections of a proxy; null: no limit. */
export function effectiveLimits({ connectionLimits }: Pick<Config, 'connectionLimits'>, row: store.LimitsRow) {
  const own = ownLimits(row);
  return {
    ports: own.ports ?? connectionLimits.ports,
    tunnels: own.tunnels ?? connectionLimits.tunnels,
    bytesPerSecond: own.bytesPerSecond ?? connectionLimits.bytesPerSecond,
  };
}

/** For gateways. @returns by connection; unknown ones are left out */
export async function readLimits(ctx: Ctx, connectionIds: readonly string[]): Promise<Map<string, ConnectionLimits>> {
  if (connectionIds.length === 0) return new Map();
  const rows = await store.findLimitsOfConnections(ctx, connectionIds);
  return new Map(rows.map((row) => [row.connectionId, effectiveLimits(ctx.config, row)]));
}

/** Changes the limits of one proxy. Gateways apply them to its open connection within seconds. @throws AppError NOT_FOUND */
export async function changeLimits(
  ctx: Ctx,
  { actorId, requester }: Editor,
  proxyId: string,
  { reason, ...limits }: ConnectionLimits & { reason?: string | undefined },
): Promise<void> {
  await ctx.tx(async (ctx) => {
    const before = await store.lockLimits(ctx, proxyId);
    if (!before) throw new AppError('NOT_FOUND', { thing: 'Proxy' });
    await store.saveLimits(ctx, proxyId, limits);
    await record(ctx, {
      action: 'PROXY_LIMITS_CHANGED',
      actorId,
      requester,
      subject: { type: 'PROXY', id: proxyId },
      reason,
      before: { ...ownLimits(before) },
      after: { ...limits },
    });
    ctx.changed(STAFF, 'staff-catalogue');
  });
}
