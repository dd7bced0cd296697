import { invariant, type Invariant, type VerifiedMark } from '../../invariant.ts';

const until = (verified: VerifiedMark) => [verified.until];

export const paymentInvariants: Invariant[] = [
  invariant(
    'each final deposit is credited once, with what the ledger has',
    `select 'deposit ' || deposits.id || ' is ' || state || ' with ' || coalesce(credited_micros, 0)
              || ', the ledger has ' || coalesce(amount_micros, 0) as broken
       from deposits
       left join transfers on idempotency_key = 'deposit:' || deposits.id
      where (credited_at is null or credited_at >= $1) and coalesce(credited_micros, 0) <> coalesce(amount_micros, 0)`,
    until,
  ),
  invariant(
    'each credit of a deposit has its deposit',
    `select 'transfer ' || transfers.id || ' credits ' || idempotency_key || ', which nobody has seen' as broken
       from transfers
      where id > $1 and reason = 'TOP_UP' and idempotency_key like 'deposit:%'
        and not exists (select from deposits where 'deposit:' || deposits.id = idempotency_key)`,
    (verified) => [verified.transferId],
  ),
  invariant(
    'a paid invoice has a credited deposit',
    `select 'invoice ' || invoices.id || ' is ' || status || ' without one' as broken
       from invoices
      where status in ('PARTIALLY_PAID', 'PAID', 'OVERPAID')
        -- An invoice becomes paid long after its creation only by a payment that comes to its address late.
        and created_at >= $1::timestamptz - interval '7 days'
        and not exists (select from deposits where invoice_id = invoices.id and state = 'CREDITED')`,
    until,
  ),
];
