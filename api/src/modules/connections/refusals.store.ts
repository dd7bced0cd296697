import type { Ctx } from '../../ctx.ts';

export interface ReportedRefusal {
  connectionId: string;
  reason: string;
  /** Milliseconds ago. */
  agoMs: number;
}

/** Whether a refusal replaces the stored one: after the interval, or sooner if it has another reason that no stranger can cause. */
const replaces = (refusedAt: string, reason: string) => `(
  ${refusedAt} > stored.refused_at + $5 * interval '1 millisecond'
  or (${refusedAt} > stored.refused_at and ${reason} <> stored.reason and ${reason} <> all($6::text[])))`;
const REPORTED_AT = `now() - ago_ms * interval '1 millisecond'`;

/**
 * Saves the refusals of connections that this node serves, at most one row each. Those that replace nothing are left out first, because
 * `on conflict` would lock the row, which is a write.
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
       insert into last_refusals as stored (connection_id, reason, refused_at)
       select distinct on (connections.id) connections.id, reported.reason, ${REPORTED_AT}
         from unnest($2::uuid[], $3::text[], $4::float8[]) as reported (id, reason, ago_ms)
         join readable_connections as connections on connections.id = reported.id
         join readable_exits as exits on exits.id = connections.exit_id
         left join last_refusals as stored on stored.connection_id = connections.id
        where node_id = $1 and (stored.refused_at is null or ${replaces(REPORTED_AT, 'reported.reason')})
        order by connections.id, ago_ms
       on conflict (connection_id) do update set reason = excluded.reason, refused_at = excluded.refused_at
        where ${replaces('excluded.refused_at', 'excluded.reason')}
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
