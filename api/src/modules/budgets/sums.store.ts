/** What exits have carried and earned in each month: the worker adds to it, and nothing is counted twice. */
import type { Ctx } from '../../ctx.ts';

/** The month (UTC) of a time. */
export const month = (time: string) => `(date_trunc('month', ${time}, 'UTC') at time zone 'UTC')::date`;

/** The advisory lock of the count. */
const LOCK_ID = 727_031;

/** One count at a time, until the end of the transaction. */
export async function lockCount(ctx: Ctx): Promise<void> {
  await ctx.db.query('select pg_advisory_xact_lock($1)', [LOCK_ID]);
}

/** With what applies now to the exit and the place of a connection. In order, so that two writers do not wait for each other. */
const addTo = (column: 'used_bytes' | 'revenue_micros', added: string) => `
  insert into month_sums (month, exit_id, country_code, isp, exit_micros, node_micros, ${column})
  select month, exits.id, country_code, isp, of_exit.micros_per_gigabyte, of_node.micros_per_gigabyte, sum(added)::bigint
    from ${added} as added
    join readable_proxies as proxies on proxies.id = proxy_id
    join readable_exits as exits on exits.id = added.exit_id
    left join traffic_costs as of_exit on of_exit.exit_id = exits.id
    left join traffic_costs as of_node on of_node.node_id = exits.node_id
   group by 1, 2, 3, 4, 5, 6 order by 1, 2, 3, 4, 5, 6
  on conflict on constraint month_sums_key do update set ${column} = month_sums.${column} + excluded.${column}`;

/**
 * Adds what connections have moved since the last count to the month of their last report. Those that ended in the last month's last day
 * may not have been counted yet.
 */
export async function countTraffic(ctx: Ctx): Promise<void> {
  await ctx.db.query(
    `with changed as (
       select connections.id, proxy_id, exit_id, connections.used_bytes, ${month('coalesce(synced_at, now())')} as month,
              connections.used_bytes - coalesce(counted.used_bytes, 0) as added
         from readable_connections as connections left join counted_traffic as counted on connection_id = connections.id
        where (status = 'WORK' or ended_at >= date_trunc('month', now() - interval '1 day', 'UTC'))
          and connections.used_bytes > coalesce(counted.used_bytes, 0)
     ), marked as (
       insert into counted_traffic (connection_id, used_bytes) select id, used_bytes from changed
       on conflict (connection_id) do update set used_bytes = excluded.used_bytes
     )
     ${addTo('used_bytes', 'changed')}`,
    [],
    { isPrepared: false },
  );
}

/** @returns the transfer up to which revenue is counted */
export async function readMark(ctx: Ctx): Promise<bigint> {
  const [row] = await ctx.db.query<{ id: bigint }>('select transfer_id as id from revenue_mark');
  return row!.id;
}

/**
 * Adds what connections were charged, less what went back: when they ended, and what staff refunded of them. Call it in a transaction.
 * @returns false if another process has moved the mark
 */
export async function addRevenue(ctx: Ctx, mark: bigint, to: bigint): Promise<boolean> {
  const moved = await ctx.db.query(
    'update revenue_mark set transfer_id = $2 where transfer_id = $1 returning transfer_id',
    [mark, to],
  );
  if (moved.length === 0) return false;
  await ctx.db.query(
    `with fresh as (
       select reason, debit_account_id, credit_account_id, idempotency_key, amount_micros, ${month('created_at')} as month
         from readable_transfers where id > $1 and id <= $2
     ), paid as (
       select month, account_id, sum(micros) as micros
         from (select month, credit_account_id as account_id, amount_micros as micros
                 from fresh where reason in ('PREPAID_50_MB', 'MEGABYTE')
               union all
               select month, debit_account_id, -amount_micros from fresh where reason = 'REFUND') as moved
        group by month, account_id
     ), refunded as (
       select month, -amount_micros as micros, connection_id
         from fresh join readable_staff_requests as requests
           on requests.id = case when idempotency_key ~ '^adjustment:[0-9a-f-]{36}$' then substr(idempotency_key, 12)::uuid end
        where reason = 'ADJUSTMENT' and connection_id is not null
     ), charged as (
       select month, proxy_id, exit_id, micros as added
         from paid join readable_connections as connections on escrow_account_id = account_id
       union all
       select month, proxy_id, exit_id, micros from refunded join readable_connections as connections on connections.id = connection_id
     )
     ${addTo('revenue_micros', 'charged')}`,
    [mark, to],
    { isPrepared: false },
  );
  return true;
}
