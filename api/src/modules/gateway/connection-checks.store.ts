import type { ConnectionStatus } from '@cellhop/contract/connections';
import type { Place } from '@cellhop/contract/places.values';
import type { Ctx } from '../../ctx.ts';
import { selectPlace } from '../../db/place-columns.ts';

export interface ConnectionCheckRow extends Place {
  userId: string;
  status: ConnectionStatus;
  exitId: string;
  ip: string;
  checkedAt: Date | null;
  /** Since the last check. */
  checkedMs: number | null;
  /** Why the last check did not succeed; null: it did. */
  reason: string | null;
  seenAddress: string | null;
  latencyMs: number | null;
  udp: boolean | null;
  ipv6: boolean | null;
  resolver: string | null;
  /** The seen address is the one that the proxy promises; null: it promises none, or one of another family. */
  isPromisedAddress: boolean | null;
  /** Another address is awaited. */
  isRotating: boolean;
  /** Since the last check was asked for; null: none ever was. */
  requestedMs: number | null;
  /** It is waited for. */
  isRequested: boolean;
  /** A check has come since. */
  isAnswer: boolean;
}

/** The connection, what the catalogue says about its proxy, and the last check of its exit. */
export async function findConnectionCheck(ctx: Ctx, connectionId: string): Promise<ConnectionCheckRow | undefined> {
  const [row] = await ctx.db.query<ConnectionCheckRow>(
    `select user_id as "userId", connections.status, connections.exit_id as "exitId", host(connections.address) as ip,
            ${selectPlace()},
            checked_at as "checkedAt", (extract(epoch from now() - checked_at) * 1000)::float8 as "checkedMs", reason,
            host(seen_address) as "seenAddress", latency_ms as "latencyMs", udp_works as udp, ipv6_works as ipv6, host(resolver) as resolver,
            case when family(seen_address) = family(proxies.ip) and not exists (select from rotation_states where rotation_states.exit_id = connections.exit_id)
                 then seen_address = proxies.ip end as "isPromisedAddress",
            exists (select from rotating_exits where rotating_exits.exit_id = connections.exit_id) as "isRotating",
            (extract(epoch from now() - requested_at) * 1000)::float8 as "requestedMs", is_requested as "isRequested",
            coalesce(checked_at >= requested_at, false) as "isAnswer"
       from readable_connections as connections
       join readable_proxies as proxies on proxies.id = proxy_id
       join exit_checks as checks on checks.exit_id = connections.exit_id
      where connections.id = $1`,
    [connectionId],
  );
  return row;
}

/** @returns false if a check of the exit is already waited for */
export async function beginCheck(ctx: Ctx, exitId: string): Promise<boolean> {
  const rows = await ctx.db.query(
    `update exit_checks set next_check_at = now(), is_requested = true, is_urgent = true, requested_at = now()
      where exit_id = $1 and not is_requested returning exit_id`,
    [exitId],
  );
  return rows.length === 1;
}
