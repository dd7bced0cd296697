import type { Ctx } from '../../ctx.ts';

/** Sentences about connections whose bytes and money do not agree. Reads all of them. */
export async function findBrokenConnections(ctx: Ctx): Promise<string[]> {
  const rows = await ctx.db.query<{ broken: string }>(
    `with megabytes as (
       select credit_account_id as escrow_id, sum(megabyte_to - megabyte_from) as charged, max(megabyte_to) as last
         from transfers where megabyte_from is not null group by credit_account_id
     ), facts as (
       select connections.*, escrow.balance_micros as escrow_micros, megabytes.charged, megabytes.last,
              (used_bytes + 1048575) / 1048576 as begun,
              greatest((granted_bytes + 1048575) / 1048576 - charged_megabytes, 0) * (price_micros / 100) as held_micros
         from connections
         join accounts as escrow on escrow.id = escrow_account_id
         left join megabytes on megabytes.escrow_id = escrow_account_id
     )
     select 'connection ' || id || ' is open and has paid ' || charged_megabytes || ' MB for ' || begun as broken
       from facts where status = 'WORK' and charged_megabytes <> greatest(50, begun)
     union all
     select 'connection ' || id || ' has ended and has paid ' || charged_megabytes || ' MB for ' || begun
       from facts where status <> 'WORK' and charged_megabytes not in (begun, greatest(50, begun))
     union all
     select 'connection ' || id || ' has a gap in its charged megabytes' from facts where charged is distinct from last
     union all
     select 'connection ' || id || ' has ' || escrow_micros || ' in escrow'
       from facts
      where escrow_micros <> case when status = 'WORK' then charged_megabytes * (price_micros / 100) else 0 end
     union all
     select 'account ' || accounts.id || ' holds ' || accounts.held_micros || ' for grants worth ' || coalesce(sum(facts.held_micros), 0)
       from accounts left join facts on payer_account_id = accounts.id and status = 'WORK'
      where accounts.kind = 'USER'
      group by accounts.id having accounts.held_micros <> coalesce(sum(facts.held_micros), 0)
     union all
     select 'connection ' || id || ' counts ' || connections.used_bytes || ' bytes, its runs ' || coalesce(sum(connection_runs.used_bytes), 0)
       from connections left join connection_runs on connection_id = id
      group by connections.id having connections.used_bytes <> coalesce(sum(connection_runs.used_bytes), 0)
     union all
     select 'connection ' || id || ' counts ' || connections.uploaded_bytes || ' bytes up, its runs ' || coalesce(sum(connection_runs.uploaded_bytes), 0)
       from connections left join connection_runs on connection_id = id
      group by connections.id having connections.uploaded_bytes <> coalesce(sum(connection_runs.uploaded_bytes), 0)
     union all
     select 'proxy ' || proxies.id || ' is sold to a connection that is not open'
       from proxies left join connections on connections.id = proxies.connection_id and status = 'WORK'
      where proxies.connection_id is not null and connections.id is null
     union all
     select 'connection ' || connections.id || ' is open without its proxy'
       from connections join proxies on proxies.id = proxy_id
      where status = 'WORK' and proxies.connection_id is distinct from connections.id`,
  );
  return rows.map((row) => row.broken);
}
