import type { UsageQuery, UsageSort } from '@cellhop/contract/usage';
import type { Ctx } from '../../ctx.ts';
import { reportUnknownTimeZone } from '../../db/refusals.ts';

export interface Amounts {
  usedBytes: bigint;
  uploadedBytes: bigint;
  /** Less refunds. */
  spentMicros: bigint;
}

export interface PointRow extends Amounts {
  at: Date;
}

export interface ConnectionRow extends Amounts {
  id: string;
  ip: string;
  countryCode: string;
  createdAt: Date;
}

/**
 * One statement reads everything from one snapshot, so the points and the connections have the same sum. Charges are looked up by
 * the escrow accounts of the connections that were open in the range, so the length of a user's history does not matter.
 *
 * The counters of a connection are used for its last hour until the worker has saved them, and permanently once it has ended.
 */
const AMOUNTS = `
  with mine as (
    select id, escrow_account_id, used_bytes, uploaded_bytes, synced_at from readable_connections
     where user_id = $1 and created_at < $3::timestamptz and (ended_at is null or ended_at >= $2::timestamptz) and ($6::uuid is null or id = $6)
  ), money as (
    select mine.id, created_at as at, amount_micros as micros
      from mine join readable_transfers on credit_account_id = escrow_account_id and megabyte_from is not null
    union all
    select mine.id, created_at, -amount_micros
      from mine join readable_transfers on debit_account_id = escrow_account_id and reason = 'REFUND'
  ), counted as (
    select id, hour, max(used_bytes) as used_bytes, max(uploaded_bytes) as uploaded_bytes
      from (select connection_id as id, hour, traffic_hours.used_bytes, traffic_hours.uploaded_bytes
              from mine join traffic_hours on connection_id = id
            union all
            select id, date_trunc('hour', synced_at, 'UTC'), used_bytes, uploaded_bytes
              from mine where synced_at is not null) as known
     group by id, hour
  ), traffic as (
    select id, hour as at, used_bytes - lag(used_bytes, 1, 0::bigint) over previous as used_bytes,
           uploaded_bytes - lag(uploaded_bytes, 1, 0::bigint) over previous as uploaded_bytes
      from counted window previous as (partition by id order by hour)
  ), amounts as (
    select id, at, 0::bigint as used_bytes, 0::bigint as uploaded_bytes, micros from money
    union all
    select id, at, used_bytes, uploaded_bytes, 0 from traffic
  ), ranged as (
    select id, date_trunc($4::text, at, $5::text) as at, used_bytes, uploaded_bytes, micros from amounts
     where at >= $2 and at < $3
  )`;

/** The orders of the connections. Of two equal ones, the more expensive one is first. */
const ORDERS: Record<UsageSort, string> = {
  '-spent': 'micros desc',
  spent: 'micros',
  '-trafficUsed': 'sums.used_bytes desc',
  trafficUsed: 'sums.used_bytes',
  '-createdAt': 'connections.created_at desc',
  createdAt: 'connections.created_at',
};

export async function findUsage(
  ctx: Ctx,
  userId: string,
  { from, to, step, timeZone, connectionId, sort }: UsageQuery,
  limit: number,
): Promise<{ points: PointRow[]; connections: ConnectionRow[] }> {
  const reading = ctx.db.query<Amounts & Partial<ConnectionRow> & { at: Date | null }>(
    `${AMOUNTS}, sums as (
       select id, at, sum(used_bytes)::bigint as used_bytes, sum(uploaded_bytes)::bigint as uploaded_bytes,
              sum(micros)::bigint as micros
         from ranged group by grouping sets ((at), (id))
     ), listed as (
       select sums.*, connections.created_at, proxy_id, address,
              row_number() over (order by ${ORDERS[sort]}, micros desc, sums.used_bytes desc, sums.id) as place
         from sums join readable_connections as connections on connections.id = sums.id
        order by place limit $7
     )
     select null::uuid as id, null as ip, null as "countryCode", null::timestamptz as "createdAt", steps.at,
            coalesce(used_bytes, 0) as "usedBytes", coalesce(uploaded_bytes, 0) as "uploadedBytes",
            coalesce(micros, 0) as "spentMicros", null::bigint as place
       from (select time_steps($2, $3, $4, $5) as at) as steps
       left join sums on sums.id is null and sums.at = steps.at
     union all
     select listed.id, host(address), country_code, listed.created_at, null, used_bytes, uploaded_bytes, micros, place
       from listed join readable_proxies as proxies on proxies.id = proxy_id
      order by at, place`,
    [userId, from, to, step, timeZone, connectionId ?? null, limit],
  );
  const rows = await reportUnknownTimeZone(reading);
  return {
    points: rows.filter((row): row is typeof row & PointRow => row.at !== null),
    connections: rows.filter((row): row is typeof row & ConnectionRow => row.at === null),
  };
}

export async function recordTraffic(ctx: Ctx): Promise<void> {
  await ctx.db.query(
    `insert into traffic_hours (connection_id, hour, used_bytes, uploaded_bytes)
     select id, date_trunc('hour', synced_at, 'UTC'), used_bytes, uploaded_bytes
       from readable_connections as connections
      where status = 'WORK' and used_bytes > 0 and synced_at is not null
        -- Most connections are idle: avoids writes for them.
        and not exists (select from traffic_hours
                         where connection_id = id and hour = date_trunc('hour', synced_at, 'UTC')
                           and traffic_hours.used_bytes >= connections.used_bytes)
      order by id
     on conflict (connection_id, hour) do update
        set used_bytes = excluded.used_bytes, uploaded_bytes = excluded.uploaded_bytes
      where traffic_hours.used_bytes < excluded.used_bytes`,
  );
}
