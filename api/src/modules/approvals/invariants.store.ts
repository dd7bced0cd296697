import { walkedInvariant, type Invariant, type Walk } from '../../db/invariant.ts';

/** Checks all requests, because one may be approved days after it was made; there are few. */
const requests: Walk = {
  next: 'select id as key from staff_requests where id > $1::uuid order by id limit $2',
  rows: 'requests.id > $1::uuid and requests.id <= $2::uuid',
  rowsMax: 2000,
  from: () => '00000000-0000-0000-0000-000000000000',
};
const newTransfers: Walk = {
  next: 'select id as key from transfers where id > $1::bigint order by id limit $2',
  rows: 'transfers.id > $1::bigint and transfers.id <= $2::bigint',
  rowsMax: 20_000,
  from: ({ verified }) => String(verified.transferId),
};

export const requestInvariants: Invariant[] = [
  walkedInvariant(
    'each change by staff moved its amount if it was applied or approved, and nothing otherwise',
    (rows) =>
      `select 'request ' || requests.id || ' is ' || requests.status || ' with ' || amount_micros || ', moved are ' || moved as broken
         from (select requests.*, coalesce(
                 case kind when 'SETTLEMENT' then (
                        select sum(credited_micros) from deposits
                         where deposits.invoice_id = requests.invoice_id and is_by_hand and transaction_id = requests.id::text)
                      else (
                        select sum(case when credit_account_id < 1000 then -transfers.amount_micros else transfers.amount_micros end)
                          from transfers where idempotency_key = 'adjustment:' || requests.id) end, 0) as moved
                 from staff_requests as requests where ${rows} and kind not in ('PROMO_CODE', 'RELEASE', 'ASSIGNMENT')) as requests
        where moved <> case when requests.status in ('APPLIED', 'APPROVED') then amount_micros else 0 end`,
    requests,
  ),
  walkedInvariant(
    'what staff refunded of a connection is the sum of its requests, and not more than it cost',
    (rows) =>
      `select 'connection ' || connections.id || ' has ' || staff_refunded_micros || ' refunded by staff, requested are ' || requested as broken
         from (select connection_id, sum(amount_micros) filter (where status in ('APPLIED', 'APPROVED')) as requested
                 from staff_requests
                where connection_id in (select connection_id from staff_requests as requests where ${rows})
                group by connection_id) as refunds
         join connections on connections.id = connection_id
        where staff_refunded_micros <> coalesce(requested, 0)
           or staff_refunded_micros > charged_megabytes * megabyte_price(price_micros)`,
    requests,
  ),
  walkedInvariant(
    'what staff released at one dollar for each coin has that rate',
    (rows) =>
      `select 'request ' || requests.id || ' is ' || requests.status || ', the rate of its deposit ' || coalesce(decided_rate_e12::text, 'none')
              as broken
         from staff_requests as requests join deposits on deposits.id = deposit_id
        where ${rows} and kind = 'RELEASE' and requests.status in ('APPLIED', 'APPROVED') and decided_rate_e12 is distinct from 1000000000000`,
    requests,
  ),
  walkedInvariant(
    'a payment that staff gave to a customer is theirs',
    (rows) =>
      `select 'request ' || requests.id || ' is ' || requests.status || ', its deposit is of ' || coalesce(assigned_to::text, 'nobody')
              as broken
         from staff_requests as requests join deposits on deposits.id = deposit_id
        where ${rows} and kind = 'ASSIGNMENT' and requests.status in ('APPLIED', 'APPROVED')
          and assigned_to is distinct from requests.user_id`,
    requests,
  ),
  walkedInvariant(
    'each adjustment in the ledger has its request',
    (rows) =>
      `select 'transfer ' || transfers.id || ' is ' || transfers.idempotency_key || ', which does not exist' as broken
         from transfers
        where ${rows} and reason = 'ADJUSTMENT'
          and not exists (
            select from staff_requests
             where id = case when transfers.idempotency_key ~ '^adjustment:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
                             then substr(transfers.idempotency_key, 12)::uuid end
          )`,
    newTransfers,
  ),
];
