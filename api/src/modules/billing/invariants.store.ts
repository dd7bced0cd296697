import { endOfVerified, invariant, walkedInvariant, type Invariant, type Walk } from '../../db/invariant.ts';

/** In the order of proxy ids, because there is a partial index of exactly these rows. */
const open: Walk = {
  next: `select proxy_id as key from connections
          where status = 'WORK' and proxy_id > $1::uuid order by proxy_id limit $2`,
  rows: `(status = 'WORK' and proxy_id > $1::uuid and proxy_id <= $2::uuid)`,
  rowsMax: 500,
  from: () => '00000000-0000-0000-0000-000000000000',
};
/** An incremental check reads those that ended after the mark, because ended connections never change. */
const ended: Walk = {
  next: 'select ended_at as key from connections where ended_at > $1::timestamptz order by ended_at limit $2',
  rows: '(ended_at > $1::timestamptz and ended_at <= $2::timestamptz)',
  rowsMax: 500,
  from: endOfVerified,
};
/**
 * For rules about single charges. An open connection may have many thousands, so they are checked when it has ended, and by
 * a full check.
 */
const openOfWhole: Walk = { ...open, rowsMax: 50, from: (run) => (run.isFull ? open.from(run) : undefined) };
const endedWithCharges: Walk = { ...ended, rowsMax: 100 };

const STARTED = '((used_bytes + 1048575) / 1048576)';
const MEGABYTE_PRICE = 'megabyte_price(price_micros)';

export const connectionInvariants: Invariant[] = [
  invariant(
    'a replaced connection has ended and costs its started megabytes, and the one in its place has the same owner, price and first purchase',
    `select 'connection ' || replaced.id || ' is replaced by ' || coalesce(successor.id::text, 'none') as broken
       from replacements
       join connections as replaced on replaced.id = connection_id
       left join connections as successor on successor.id = new_connection_id
      where requested_at > now() - interval '2 days' and finished_at is not null
        and not coalesce(
              replaced.status <> 'WORK'
              and (replaced.charged_megabytes = (replaced.used_bytes + 1048575) / 1048576 or replaced.staff_refunded_micros > 0)
              and (new_connection_id is null
                   or (successor.user_id, successor.price_micros) = (replaced.user_id, replaced.price_micros)
                      and successor.first_bought_at <= coalesce(replaced.first_bought_at, replaced.created_at)), false)`,
  ),
  invariant(
    'an open connection has paid for 50 MB, or for its started megabytes',
    `select 'connection ' || id || ' has paid ' || charged_megabytes || ' MB for ' || ${STARTED} as broken
       from connections where status = 'WORK' and charged_megabytes <> greatest(prepaid_megabytes(), ${STARTED})`,
  ),
  walkedInvariant(
    'an ended connection has paid for its started megabytes, or for 50 MB',
    (rows) =>
      `select 'connection ' || id || ' has paid ' || charged_megabytes || ' MB for ' || ${STARTED} as broken
         from connections where ${rows} and charged_megabytes not in (${STARTED}, greatest(prepaid_megabytes(), ${STARTED}))`,
    ended,
  ),
  walkedInvariant(
    'charged megabytes have no gap and no overlap',
    (rows) =>
      `select 'connection ' || id || ' was charged from megabyte ' || megabyte_from || ' on, after ' || previous_to as broken
       from connections
      cross join lateral (
        select megabyte_from, coalesce(lag(megabyte_to) over (order by megabyte_from), 0) as previous_to
          from transfers where credit_account_id = escrow_account_id and megabyte_from is not null
      ) as range
      where ${rows} and megabyte_from <> previous_to`,
    openOfWhole,
    endedWithCharges,
  ),
  walkedInvariant(
    'the charges of a connection are an unbroken chain of hashes',
    (rows) =>
      `select 'connection ' || connections.id || ' has ' || found.count || ' charges of ' || charge_count || ', '
              || found.broken || ' with another hash' as broken
       from connections
      cross join lateral (
        select count(*) as count,
               count(*) filter (where charge.charge_hash is distinct from charge_hash(
                 previous_hash, connections.id, number, charge_time(charge.created_at), reason::text,
                 coalesce(megabyte_from, prepaid_megabytes() - amount_micros / ${MEGABYTE_PRICE}) + 1, coalesce(megabyte_to, prepaid_megabytes()),
                 uploaded_bytes, downloaded_bytes, ${MEGABYTE_PRICE},
                 case reason when 'REFUND' then -amount_micros else amount_micros end)) as broken,
               coalesce(bool_or(charge.charge_hash = connections.charge_hash and number = charge_count), false) as has_head
          from (select *, lag(charge_hash) over entry as previous_hash, (row_number() over entry)::integer as number
                  from (select * from transfers
                         where credit_account_id = escrow_account_id and megabyte_from is not null
                         union all
                        select * from transfers where debit_account_id = escrow_account_id and reason = 'REFUND'
                       ) as charge
                window entry as (order by id)
               ) as charge
      ) as found
      where ${rows} and (found.broken > 0 or found.count <> charge_count or not has_head)`,
    openOfWhole,
    endedWithCharges,
  ),
  walkedInvariant(
    'the escrow of an open connection equals what was paid, that of an ended one is empty',
    (rows) =>
      `select 'connection ' || id || ' has ' || escrow_micros || ' in escrow' as broken
       from connections
      where ${rows}
        and escrow_micros <> case when status = 'WORK' then charged_megabytes * ${MEGABYTE_PRICE} else 0 end`,
    open,
    ended,
  ),
  invariant(
    'the hold of a customer equals the price of their open grants',
    `select 'account ' || accounts.id || ' holds ' || held_micros || ' for grants worth ' || coalesce(price, 0) as broken
       from accounts
       left join (
         select payer_account_id,
                sum(greatest((granted_bytes + 1048575) / 1048576 - charged_megabytes, 0) * ${MEGABYTE_PRICE}) as price
           from connections where status = 'WORK' group by payer_account_id
       ) as grants on payer_account_id = accounts.id
      where kind = 'USER' and held_micros <> coalesce(price, 0)`,
  ),
  walkedInvariant(
    'the counters of a connection equal the sums of its gateway runs',
    (rows) =>
      `select 'connection ' || id || ' counts ' || used_bytes || ' bytes (' || uploaded_bytes || ' up), its runs '
              || used || ' (' || uploaded || ' up)' as broken
       from connections
      cross join lateral (
        select coalesce(sum(connection_runs.used_bytes), 0) as used,
               coalesce(sum(connection_runs.uploaded_bytes), 0) as uploaded
          from connection_runs where connection_id = connections.id
      ) as runs
      where ${rows} and (used_bytes <> used or uploaded_bytes <> uploaded)`,
    open,
    ended,
  ),
  walkedInvariant(
    'used bytes never exceed granted bytes',
    (rows) =>
      `select 'connection ' || id || ' used ' || used_bytes || ' of ' || granted_bytes || ' bytes' as broken
       from connections where ${rows} and not (used_bytes between 0 and granted_bytes)
     union all
     select 'run ' || run_id || ' of connection ' || connection_id || ' used ' || connection_runs.used_bytes || ' of '
              || connection_runs.granted_bytes || ' bytes'
       from connections join connection_runs on connection_id = connections.id
      where ${rows} and not (connection_runs.used_bytes between 0 and connection_runs.granted_bytes)`,
    open,
    ended,
  ),
  invariant(
    'a sold proxy has one open connection, and an open connection its proxy',
    `select 'proxy ' || proxies.id || ' is sold to a connection that is not open' as broken
       from proxies left join connections on connections.id = proxies.connection_id and status = 'WORK'
      where proxies.connection_id is not null and connections.id is null
     union all
     select 'connection ' || connections.id || ' is open without its proxy'
       from connections join proxies on proxies.id = proxy_id
      where status = 'WORK' and proxies.connection_id is distinct from connections.id`,
  ),
];
