import type { Ctx } from '../../ctx.ts';

/**
 * @returns the present month (UTC) as 2026-11-01, or undefined if its turn has been told. A month begins a minute late
 * here: a payment that began before midnight counts for the old month, and is seen only when its transaction has ended.
 */
export async function findMonthToTurn(ctx: Ctx): Promise<string | undefined> {
  const [row] = await ctx.db.query<{ month: string }>(
    `select month::text from (select date_trunc('month', (now() - interval '1 minute') at time zone 'UTC')::date as month) as present
      where not exists (select from referral_month_turns where referral_month_turns.month = present.month)`,
  );
  return row?.month;
}

export async function saveTurn(ctx: Ctx, month: string): Promise<void> {
  await ctx.db.query('insert into referral_month_turns (month) values ($1::date) on conflict (month) do nothing', [
    month,
  ]);
}

export interface PaymentCounts {
  userId: string;
  /** Of the month before, which make its level. */
  last: number;
  /** Of the one before that, which made the level until then. */
  before: number;
}

/**
 * Of all referrers who had any in the two months before this one.
 * @param month its first day; not asked of the clock again, which may have passed into the next one meanwhile
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
