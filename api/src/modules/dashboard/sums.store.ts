import type { Ctx } from '../../ctx.ts';

/**
 * Sums of the transfers `fresh`, as rows of dashboard_sums. They are added up by reason first, but for top-ups, of which there are few: a top-up
 * has the currency of its invoice, which is looked up for each, because a join might read all deposits.
 */
export const NEW_SUMS = `
  select figure::dashboard_figure as figure, hour, currency, sum(micros)::bigint as amount, sum(count)::bigint as count
    from (select case when reason = 'TOP_UP' then 'TOP_UP' else 'REVENUE' end as figure, hour,
                 case when top_up ~ '^deposit:[0-9a-f-]{36}$'
                      then coalesce((select deposits.currency from readable_deposits as deposits
                                      where deposits.id = substr(top_up, 9)::uuid), '')
                      else '' end as currency,
                 case when reason = 'REFUND' then -micros else micros end as micros, count
            from (select reason, date_bin('1 hour', created_at, timestamptz '2000-01-01 00:00:00+00') as hour,
                         case when reason = 'TOP_UP' then idempotency_key end as top_up, sum(amount_micros) as micros, count(*) as count
                    from fresh where reason in ('PREPAID_50_MB', 'MEGABYTE', 'REFUND', 'TOP_UP') group by 1, 2, 3) as added_up
         ) as counted
   group by 1, 2, 3`;

/** Not prepared: the plan depends on the mark, which excludes nothing or nearly everything. */
const planned = { isPrepared: false };

/** @returns the transfer up to which sums are stored */
export async function readMark(ctx: Ctx): Promise<bigint> {
  const [row] = await ctx.db.query<{ id: bigint }>('select transfer_id as id from dashboard_mark');
  return row!.id;
}

/** Call it in a transaction. @returns false if another process has moved the mark */
export async function addTransfers(ctx: Ctx, mark: bigint, to: bigint): Promise<boolean> {
  const moved = await ctx.db.query(
    'update dashboard_mark set transfer_id = $2 where transfer_id = $1 returning transfer_id',
    [mark, to],
  );
  if (moved.length === 0) return false;
  await ctx.db.query(
    `with fresh as (select * from readable_transfers where id > $1 and id <= $2)
     insert into dashboard_sums (figure, hour, currency, amount, count) ${NEW_SUMS}
     on conflict (figure, hour, currency)
       do update set amount = dashboard_sums.amount + excluded.amount, count = dashboard_sums.count + excluded.count`,
    [mark, to],
    planned,
  );
  return true;
}

/** Locks the mark until the end of the transaction. @returns undefined if another worker has it locked, or if nothing can be counted */
export async function lockHour(ctx: Ctx): Promise<Date | undefined> {
  const [row] = await ctx.db.query<{ hour: Date | null }>(
    `select coalesce(hour, date_trunc('hour', least(
              (select min(created_at) from readable_users), (select min(hour) from readable_traffic_hours),
              (select min(ended_at) from readable_connections)), 'UTC')) as hour
       from dashboard_mark for update of dashboard_mark skip locked`,
  );
  return row?.hour ?? undefined;
}

export async function saveHour(ctx: Ctx, hour: Date): Promise<void> {
  await ctx.db.query('update dashboard_mark set hour = $1', [hour]);
}

/** The time by the database's clock. */
export async function readClock(ctx: Ctx): Promise<Date> {
  const [row] = await ctx.db.query<{ now: Date }>('select clock_timestamp() as now');
  return row!.now;
}

const REPLACE = 'on conflict (figure, hour, currency) do update set amount = excluded.amount, count = excluded.count';

/**
 * The traffic of all connections in an hour is the sum of what their counters have grown by: since the row before, and at the end of
 * a connection since its last row.
 */
export async function countTraffic(ctx: Ctx, from: Date, to: Date): Promise<void> {
  await ctx.db.query(
    `with grown as (
       select counted.hour, counted.used_bytes - coalesce(before.used_bytes, 0) as used_bytes,
              counted.uploaded_bytes - coalesce(before.uploaded_bytes, 0) as uploaded_bytes
         from readable_traffic_hours as counted
         left join lateral (
           select used_bytes, uploaded_bytes from readable_traffic_hours as earlier
            where earlier.connection_id = counted.connection_id and earlier.hour < counted.hour
            order by earlier.hour desc limit 1) as before on true
        where counted.hour >= $1 and counted.hour < $2
       union all
       select date_trunc('hour', ended_at, 'UTC'), ended.used_bytes - coalesce(last.used_bytes, 0),
              ended.uploaded_bytes - coalesce(last.uploaded_bytes, 0)
         from readable_connections as ended
         left join lateral (
           select used_bytes, uploaded_bytes from readable_traffic_hours
            where connection_id = ended.id order by hour desc limit 1) as last on true
        where ended_at >= $1 and ended_at < $2
     ), sums as (
       select hour, sum(uploaded_bytes)::bigint as uploaded, sum(used_bytes - uploaded_bytes)::bigint as downloaded, count(*) as count
         from grown group by hour
     )
     insert into dashboard_sums (figure, hour, amount, count)
     select 'UPLOADED'::dashboard_figure, hour, uploaded, count from sums
     union all
     select 'DOWNLOADED', hour, downloaded, count from sums
     ${REPLACE}`,
    [from, to],
  );
}

export async function countSignUps(ctx: Ctx, from: Date, to: Date): Promise<void> {
  await ctx.db.query(
    `insert into dashboard_sums (figure, hour, amount, count)
     select 'SIGN_UP', date_trunc('hour', created_at, 'UTC'), count(*), count(*)
       from readable_users where created_at >= $1 and created_at < $2 group by 2
     ${REPLACE}`,
    [from, to],
  );
}

export async function countProxies(ctx: Ctx): Promise<void> {
  await ctx.db.query(
    `with counted as (
       select country_code, count(*) filter (where is_offered and connection_id is null)::int as free,
              count(*) filter (where connection_id is not null)::int as sold,
              count(*) filter (where health <> 'UNCHECKED' and not is_exit_healthy and not is_retired and connection_id is null)::int as unhealthy,
              count(*) filter (where (seen_country <> country_code or seen_asn <> asn) and (connection_id is not null or not is_retired))::int as elsewhere
         from proxy_states left join exit_states using (exit_id) group by country_code
     ), gone as (
       delete from dashboard_proxies where country_code not in (select country_code from counted)
     )
     insert into dashboard_proxies (country_code, free, sold, unhealthy, elsewhere)
     -- In order, so that two workers do not wait for each other.
     select country_code, free, sold, unhealthy, elsewhere from counted order by country_code
     on conflict (country_code) do update set free = excluded.free, sold = excluded.sold, unhealthy = excluded.unhealthy,
       elsewhere = excluded.elsewhere`,
  );
}
