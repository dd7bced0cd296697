import type { OwnPromoCode } from '@cellhop/contract/referrals';
import type { Ctx } from '../../ctx.ts';
import { toOffset, type PageQuery } from '../../http/paging.ts';

export interface PromoCodeRow extends Omit<OwnPromoCode, 'createdAt' | 'expiredAt'> {
  createdAt: Date;
  expiredAt: Date | null;
  userId: string;
  userEmail: string;
  trialCreditMicros: bigint;
  trialCreditsMax: number | null;
  budgetMicros: bigint | null;
  trialCreditsCount: number;
  creditedMicros: bigint;
}

/** A code is expired after its expiry time, even if its status was not updated. */
const SELECT_ROW = `
  select promo_codes.id, code,
         case when promo_codes.status = 'ACTIVE' and expired_at <= now() then 'EXPIRED' else promo_codes.status end as status,
         (select count(*)::int from readable_users as users where users.promo_code_id = promo_codes.id) as "registeredUsersCount",
         promo_codes.created_at as "createdAt", expired_at as "expiredAt", owner.id as "userId", owner.email as "userEmail",
         trial_credit_micros as "trialCreditMicros", credits_max as "trialCreditsMax", budget_micros as "budgetMicros",
         credit_count as "trialCreditsCount", credited_micros as "creditedMicros"
    from promo_codes join readable_users as owner on owner.id = promo_codes.user_id`;

/** @param userId null: of all users */
export function listPromoCodes(ctx: Ctx, userId: string | null, page: PageQuery): Promise<PromoCodeRow[]> {
  return ctx.db.query(
    `${SELECT_ROW} where $1::uuid is null or promo_codes.user_id = $1
      order by promo_codes.created_at desc, promo_codes.id limit $2 offset $3`,
    [userId, page.size, toOffset(page)],
  );
}

/** @param userId null: of all users */
export async function countPromoCodes(ctx: Ctx, userId: string | null): Promise<number> {
  const [row] = await ctx.db.query<{ count: number }>(
    'select count(*)::int as count from promo_codes where $1::uuid is null or user_id = $1',
    [userId],
  );
  return row!.count;
}

export async function findPromoCode(ctx: Ctx, id: string): Promise<PromoCodeRow | undefined> {
  const [row] = await ctx.db.query<PromoCodeRow>(`${SELECT_ROW} where promo_codes.id = $1`, [id]);
  return row;
}

/** @param email lower case */
export async function findOwner(ctx: Ctx, email: string): Promise<string | undefined> {
  const [row] = await ctx.db.query<{ id: string }>(
    `select id from readable_users where email = $1 and status <> 'DELETED'`,
    [email],
  );
  return row?.id;
}

export interface NewPromoCode {
  /** Upper case. */
  code: string;
  userId: string;
  trialCreditMicros: bigint;
  creditsMax: number | null;
  budgetMicros: bigint | null;
  expiredAt: string | null;
}

/** @returns undefined if the code is taken, as a promo code or as a user's own referral code */
export async function insertPromoCode(ctx: Ctx, code: NewPromoCode): Promise<string | undefined> {
  const [row] = await ctx.db.query<{ id: string }>(
    `insert into promo_codes (code, user_id, trial_credit_micros, credits_max, budget_micros, expired_at)
     select $1, $2, $3, $4, $5, $6 where not exists (select from readable_users where referral_code = $1)
     on conflict (code) do nothing returning id`,
    [code.code, code.userId, code.trialCreditMicros, code.creditsMax, code.budgetMicros, code.expiredAt],
  );
  return row?.id;
}
