import type { ConnectionLimits } from '@cellhop/contract/connection-limits';
import type { Ctx } from '../../ctx.ts';

/** Of one proxy; null: the setting applies. */
export interface LimitsRow {
  portRule: string | null;
  tunnelsMax: number | null;
  bytesPerSecondMax: number | null;
}

/** The limits of the proxies of these connections. */
export function findLimitsOfConnections(
  ctx: Ctx,
  connectionIds: readonly string[],
): Promise<(LimitsRow & { connectionId: string })[]> {
  return ctx.db.query(
    `select connections.id as "connectionId", port_rule as "portRule", tunnels_max as "tunnelsMax",
            bytes_per_second_max as "bytesPerSecondMax"
       from readable_connections as connections join proxies on proxies.id = connections.proxy_id
      where connections.id = any($1::uuid[])`,
    [connectionIds],
  );
}

/** Locks the proxy. @returns its limits before a change; undefined if there is no such proxy */
export async function lockLimits(ctx: Ctx, proxyId: string): Promise<LimitsRow | undefined> {
  const [row] = await ctx.db.query<LimitsRow>(
    `select port_rule as "portRule", tunnels_max as "tunnelsMax", bytes_per_second_max as "bytesPerSecondMax"
       from proxies where id = $1 for no key update`,
    [proxyId],
  );
  return row;
}

export async function saveLimits(ctx: Ctx, proxyId: string, limits: ConnectionLimits): Promise<void> {
  await ctx.db.query('update proxies set port_rule = $2, tunnels_max = $3, bytes_per_second_max = $4 where id = $1', [
    proxyId,
    limits.ports,
    limits.tunnels,
    limits.bytesPerSecond,
  ]);
}
