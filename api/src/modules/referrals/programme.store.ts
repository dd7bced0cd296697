import type { Ctx } from '../../ctx.ts';

export interface SummaryRow {
  code: string;
  paymentsThisMonth: number;
  monthEndsAt: Date;
  registeredUsersCount: number;
}

/** Counts all sign-ups with the user's referral code or one of their promo codes, confirmed or not. */
export async function findSummary(ctx: Ctx, userId: string): Promise<SummaryRow | undefined> {
  const [row] = await ctx.db.query<SummaryRow>(
    `select referral_code as code,
            (select count(*)::int from referral_payments
              where referrer_id = $1 and paid_at >= date_trunc('month', now(), 'UTC')) as "paymentsThisMonth",
            (date_trunc('month', now() at time zone 'UTC') + interval '1 month') at time zone 'UTC' as "monthEndsAt",
            (select count(*)::int from readable_users as referrals where referrals.referrer_id = $1) as "registeredUsersCount"
       from readable_users where id = $1`,
    [userId],
  );
  return row;
}
