import type { Ctx } from '../../ctx.ts';

/** Paid invoices of the users' referrals in the previous calendar month (UTC). Users without any are left out. */
export function countPaymentsOfLastMonth(
  ctx: Ctx,
  referrerIds: readonly string[],
): Promise<{ referrerId: string; count: number }[]> {
  return ctx.db.query(
    `select referrer_id as "referrerId", count(*)::int as count from referral_payments
      where referrer_id = any($1::uuid[])
        and paid_at >= date_trunc('month', date_trunc('month', now(), 'UTC') - interval '1 day', 'UTC')
        and paid_at < date_trunc('month', now(), 'UTC')
      group by referrer_id`,
    [referrerIds],
  );
}

/**
 * Counts an invoice for the payer's referrer. Does nothing if it was already counted, if the payer has no referrer, or if both have
 * the same normalized email address.
 */
export async function insertPayment(ctx: Ctx, invoiceId: string, payerId: string): Promise<void> {
  await ctx.db.query(
    `insert into referral_payments (invoice_id, referrer_id)
     select $1, referrer.id
       from readable_users as payer join readable_users as referrer on referrer.id = payer.referrer_id
      where payer.id = $2 and referrer.person <> payer.person
     on conflict (invoice_id) do nothing`,
    [invoiceId, payerId],
  );
}

export interface Referrer {
  userId: string;
  accountId: bigint;
}

/** The referrer who earns bonuses of the payer's top-ups: not if blocked or deleted, or if it is the payer's own second account. */
export async function findReferrer(ctx: Ctx, payerId: string): Promise<Referrer | undefined> {
  const [row] = await ctx.db.query<Referrer>(
    `select referrer.id as "userId", referrer.account_id as "accountId"
       from readable_users as payer
       join readable_users as referrer on referrer.id = payer.referrer_id
      where payer.id = $1 and referrer.status = 'ACTIVE'
        and referrer.person <> payer.person`,
    [payerId],
  );
  return row;
}

/**
 * @returns the current month (UTC) as 2026-11-01; undefined if it was processed. A month starts a minute late here, because a payment
 * whose transaction started before midnight counts for the old month but is only visible after its commit.
 */
export async function findUnprocessedMonth(ctx: Ctx): Promise<string | undefined> {
  const [row] = await ctx.db.query<{ month: string }>(
    `select month::text from (select date_trunc('month', (now() - interval '1 minute') at time zone 'UTC')::date as month) as present
      where not exists (select from referral_month_turns where referral_month_turns.month = present.month)`,
  );
  return row?.month;
}

export async function markMonthProcessed(ctx: Ctx, month: string): Promise<void> {
  await ctx.db.query('insert into referral_month_turns (month) values ($1::date) on conflict (month) do nothing', [
    month,
  ]);
}

export interface PaymentCounts {
  userId: string;
  /** Payments of the previous month, which determine the new level. */
  last: number;
  /** Payments of the month before that, which determined the old level. */
  before: number;
}

/**
 * Counts the payments of all referrers in the two months before this one.
 * @param month its first day. Not read from the clock, because the next month may have started meanwhile.
 */
export function listPayments(ctx: Ctx, month: string): Promise<PaymentCounts[]> {
  return ctx.db.query(
    `with bounds as (
       select $1::date::timestamp at time zone 'UTC' as present,
              ($1::date - interval '1 month') at time zone 'UTC' as last,
              ($1::date - interval '2 months') at time zone 'UTC' as before
     )
     select referral_payments.referrer_id as "userId", (count(*) filter (where paid_at >= bounds.last))::int as last,
            (count(*) filter (where paid_at < bounds.last))::int as before
       from referral_payments
      cross join bounds
       join readable_users as users on users.id = referral_payments.referrer_id and users.status <> 'DELETED'
      where paid_at >= bounds.before and paid_at < bounds.present
      group by referral_payments.referrer_id`,
    [month],
  );
}
