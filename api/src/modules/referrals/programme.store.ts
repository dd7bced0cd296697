import type { OwnPromoCode } from '@cellhop/contract/referrals';
import type { Ctx } from '../../ctx.ts';
import { toOffset, type PageQuery } from '../../http/paging.ts';

export interface SummaryRow {
  code: string;
  paymentsThisMonth: number;
  monthEndsAt: Date;
  registeredUsersCount: number;
}

/** Who has signed up with the user's code or with one of his promo codes counts, confirmed or not. */
export async function findSummary(ctx: Ctx, userId: string): Promise<SummaryRow | undefined> {
  const [row] = await ctx.db.query<SummaryRow>(
    `select referral_code as code,
            (select count(*)::int from referral_payments
              where referrer_id = $1 and paid_at >= date_trunc('month', now(), 'UTC')) as "paymentsThisMonth",
            (date_trunc('month', now() at time zone 'UTC') + interval '1 month') at time zone 'UTC' as "monthEndsAt",
            (select count(*)::int from users as referrals where referrals.referrer_id = $1) as "registeredUsersCount"
       from users where id = $1`,
    [userId],
  );
  return row;
}

export type PromoCodeRow = Omit<OwnPromoCode, 'createdAt' | 'expiredAt'> & { createdAt: Date; expiredAt: Date | null };

/** A code whose time has passed is expired, whether or not somebody has written it down yet. */
export function listPromoCodes(ctx: Ctx, userId: string, page: PageQuery): Promise<PromoCodeRow[]> {
  return ctx.db.query(
    `select id, code, case when status = 'ACTIVE' and expired_at <= now() then 'EXPIRED' else status end as status,
            (select count(*)::int from users where users.promo_code_id = promo_codes.id) as "registeredUsersCount",
            created_at as "createdAt", expired_at as "expiredAt"
       from promo_codes where user_id = $1 order by created_at desc, id limit $2 offset $3`,
    [userId, page.size, toOffset(page)],
  );
}

export async function countPromoCodes(ctx: Ctx, userId: string): Promise<number> {
  const [row] = await ctx.db.query<{ count: number }>(
    'select count(*)::int as count from promo_codes where user_id = $1',
    [userId],
  );
  return row!.count;
}
