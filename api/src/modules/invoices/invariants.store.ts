import { endOfVerified, invariant, walkedInvariant, type Invariant, type Walk } from '../../db/invariant.ts';

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

const IS_REVERSAL = `reason in ('REVERSAL', 'RESTORATION')`;
/** The deposit of a reversal or restoration, from its key. */
const REVERSED_ID = `substring(idempotency_key
  from '^(?:reversal|restoration):([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?::[0-9]+)?(?::bonus)?(?::loss)?$')::uuid`;

/** What all reversals of a deposit took back, less the restorations. @param kind '' for the credit, ':bonus' for the referrer's bonus */
const takenBack = (kind: '' | ':bonus') => `(
  select coalesce(sum(case reason when 'REVERSAL' then amount_micros else -amount_micros end), 0) from transfers
   where idempotency_key in (
     select event || ':' || deposits.id || case when round > 1 then ':' || round else '' end || '${kind}' || part
       from unnest(array['reversal', 'restoration']) as event, unnest(array['', ':loss']) as part,
            generate_series(1, greatest(reversal_count, 1)) as round))`;

/** Deposits whose reversals do not add up to their credit and bonus, or to nothing once it is restored. */
function findUnbalanced(rows: string): string {
  return `
    select 'deposit ' || id || ' is ' || state || ' with ' || credited_micros || ' and a bonus of ' || bonus_micros
             || ', its reversals took ' || credit_taken || ' and ' || bonus_taken as broken
      from (select deposits.id, state, credited_micros, ${takenBack('')} as credit_taken, ${takenBack(':bonus')} as bonus_taken,
                   coalesce((select amount_micros from transfers
                              where idempotency_key = 'deposit:' || deposits.id || ':bonus'), 0) as bonus_micros
              from deposits where ${rows}) as deposits
     where credit_taken <> case state when 'REVERSED' then credited_micros else 0 end
        or bonus_taken <> case state when 'REVERSED' then bonus_micros else 0 end`;
}

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
    'each credited top-up has a receipt',
    (rows) =>
      `select 'deposit ' || deposits.id || ' has none' as broken
         from deposits
        where ${rows} and credited_micros > 0 and not exists (select from top_up_receipts where deposit_id = deposits.id)`,
    creditedDeposits,
  ),
  invariant(
    'receipts of top-ups are numbered without gaps',
    `select 'there are ' || count(*) || ' up to number ' || max(number) as broken
       from top_up_receipts having count(*) <> coalesce(max(number), 0)`,
  ),
  walkedInvariant(
    'a payment to a lost address is given to a customer by a request alone',
    (rows) =>
      `select 'deposit ' || deposits.id || ' is given to ' || assigned_to || ' by nobody' as broken
         from deposits
        where ${rows} and assigned_to is not null
          and not exists (
            select from staff_requests
             where deposit_id = deposits.id and user_id = assigned_to and kind = 'ASSIGNMENT' and status in ('APPLIED', 'APPROVED')
          )`,
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
  walkedInvariant('a reversal takes back exactly what its deposit was credited', findUnbalanced, reversedDeposits),
  walkedInvariant(
    'reversals and restorations of a deposit add up',
    (rows) => findUnbalanced(`deposits.id in (select ${REVERSED_ID} from transfers where ${rows} and ${IS_REVERSAL})`),
    newTransfers,
  ),
  walkedInvariant(
    'each reversal has its reversed deposit',
    (rows) =>
      `select 'transfer ' || transfers.id || ' is ' || idempotency_key || ', which was not reversed' as broken
         from transfers
        where ${rows} and ${IS_REVERSAL}
          and not exists (select from deposits where reversal_count > 0 and id = ${REVERSED_ID})`,
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
