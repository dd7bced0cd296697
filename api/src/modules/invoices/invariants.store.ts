import { endOfVerified, walkedInvariant, type Invariant, type Walk } from '../../invariant.ts';

const creditedDeposits: Walk = {
  next: 'select credited_at as key from deposits where credited_at > $1::timestamptz order by credited_at limit $2',
  rows: '(credited_at > $1::timestamptz and credited_at <= $2::timestamptz)',
  rowsMax: 2000,
  from: endOfVerified,
};
const otherDeposits: Walk = {
  next: 'select id as key from deposits where credited_at is null and id > $1::uuid order by id limit $2',
  rows: '(credited_at is null and deposits.id > $1::uuid and deposits.id <= $2::uuid)',
  rowsMax: 2000,
  from: () => '00000000-0000-0000-0000-000000000000',
};
const newTransfers: Walk = {
  next: 'select id as key from transfers where id > $1::bigint order by id limit $2',
  rows: 'transfers.id > $1::bigint and transfers.id <= $2::bigint',
  rowsMax: 20_000,
  from: ({ verified }) => String(verified.transferId),
};
const reversedDeposits: Walk = {
  next: 'select reversed_at as key from deposits where reversed_at > $1::timestamptz order by reversed_at limit $2',
  rows: '(reversed_at > $1::timestamptz and reversed_at <= $2::timestamptz)',
  rowsMax: 2000,
  from: endOfVerified,
};
const DAY_MS = 86_400_000;
/** Incremental checks read the invoices of a week: only a late payment changes an older one. */
const invoicesOfAWeek: Walk = {
  next: 'select created_at as key from invoices where created_at > $1::timestamptz order by created_at limit $2',
  rows: '(created_at > $1::timestamptz and created_at <= $2::timestamptz)',
  rowsMax: 2000,
  from: ({ isFull, verified }) =>
    isFull ? '-infinity' : new Date(verified.until.getTime() - 7 * DAY_MS).toISOString(),
};

export const paymentInvariants: Invariant[] = [
  walkedInvariant(
    'each final deposit is credited once, with the amount in the ledger',
    (rows) =>
      `select 'deposit ' || deposits.id || ' is ' || state || ' with ' || coalesce(credited_micros, 0)
                || ', the ledger has ' || coalesce(amount_micros, 0) as broken
         from deposits
         left join transfers on idempotency_key = 'deposit:' || deposits.id
        where ${rows} and coalesce(credited_micros, 0) <> coalesce(amount_micros, 0)`,
    otherDeposits,
    creditedDeposits,
  ),
  walkedInvariant(
    'each credit of a deposit has its deposit',
    // Looks deposits up by primary key: comparing texts would scan all deposits for each chunk.
    (rows) =>
      `select 'transfer ' || transfers.id || ' credits ' || idempotency_key || ', which does not exist' as broken
         from transfers
        where ${rows} and reason = 'TOP_UP' and idempotency_key like 'deposit:%'
          and not exists (
            select from deposits
             where id = case when idempotency_key ~ '^deposit:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
                             then substr(idempotency_key, 9)::uuid end
          )`,
    newTransfers,
  ),
  walkedInvariant(
    'a reversal takes back exactly what its deposit was credited',
    (rows) =>
      `select 'deposit ' || deposits.id || ' was credited ' || credited_micros || ', its reversal moved ' || moved as broken
         from (select deposits.id, credited_micros,
                      (select coalesce(sum(amount_micros), 0) from transfers
                        where idempotency_key in ('reversal:' || deposits.id, 'reversal:' || deposits.id || ':loss')) as moved
                 from deposits where ${rows}) as deposits
        where moved <> credited_micros`,
    reversedDeposits,
  ),
  walkedInvariant(
    'each reversal has its reversed deposit',
    (rows) =>
      `select 'transfer ' || transfers.id || ' is ' || idempotency_key || ', which was not reversed' as broken
         from transfers
        where ${rows} and reason = 'REVERSAL'
          and not exists (
            select from deposits
             where state = 'REVERSED'
               and id = case when idempotency_key ~ '^reversal:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}(:loss)?$'
                             then substr(idempotency_key, 10, 36)::uuid end
          )`,
    newTransfers,
  ),
  walkedInvariant(
    'a paid invoice has a credited deposit',
    (rows) =>
      `select 'invoice ' || invoices.id || ' is ' || status || ' without one' as broken
         from invoices
        where ${rows} and status in ('PARTIALLY_PAID', 'PAID', 'OVERPAID')
          and not exists (select from deposits where invoice_id = invoices.id and state = 'CREDITED')`,
    invoicesOfAWeek,
  ),
];
