import type { Ctx } from '../../ctx.ts';

export interface ReportedRefusal {
  connectionId: string;
  reason: string;
  /** Milliseconds ago. */
  agoMs: number;
}

/**
 * Saves the refusals of connections that this node serves, at most one row each. A newer one replaces the stored one after the interval,
 * or sooner if it has another reason that no stranger can cause.
 * @returns the owners of the connections whose row has changed
 */
export async function saveRefusals(
  ctx: Ctx,
  nodeId: string,
  refusals: readonly ReportedRefusal[],
  { intervalMs, causedByStrangers }: { intervalMs: number; causedByStrangers: readonly string[] },
): Promise<string[]> {
  const rows = await ctx.db.query<{ userId: string }>(
    `with saved as (
       insert into last_refusals (connection_id, reason, refused_at)
       select distinct on (connections.id) connections.id, reported.reason, now() - ago_ms * interval '1 millisecond'
         from unnest($2::uuid[], $3::text[], $4::float8[]) as reported (id, reason, ago_ms)
         join readable_connections as connections on connections.id = reported.id
         join readable_exits as exits on exits.id = connections.exit_id
        where node_id = $1
        order by connections.id, ago_ms
       on conflict (connection_id) do update set reason = excluded.reason, refused_at = excluded.refused_at
        where excluded.refused_at > last_refusals.refused_at + $5 * interval '1 millisecond'
           or (excluded.refused_at > last_refusals.refused_at and excluded.reason <> last_refusals.reason
               and excluded.reason <> all($6::text[]))
       returning connection_id
     )
     select distinct user_id as "userId" from saved join readable_connections as connections on connections.id = connection_id`,
    [
      nodeId,
      refusals.map(({ connectionId }) => connectionId),
      refusals.map(({ reason }) => reason),
      refusals.map(({ agoMs }) => agoMs),
      intervalMs,
      causedByStrangers,
    ],
  );
  return rows.map(({ userId }) => userId);
}
