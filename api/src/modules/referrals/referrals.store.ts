import type { Ctx } from '../../ctx.ts';

export interface Referrer {
  referrerId: string;
  /** Set if the code was a promo code: then its owner is the referrer. */
  promoCodeId: string | null;
}

/** A promo code wins over a user's own code; codes of people who may not sign in do not work. @param code upper case */
export async function findReferrer(ctx: Ctx, code: string): Promise<Referrer | undefined> {
  const [row] = await ctx.db.query<Referrer>(
    `select users.id as "referrerId", promo_codes.id as "promoCodeId"
       from promo_codes join users on users.id = promo_codes.user_id
      where promo_codes.code = $1 and promo_codes.status = 'ACTIVE' and users.status = 'ACTIVE'
        and (promo_codes.expired_at is null or promo_codes.expired_at > now())
     union all
     select id, null from users where referral_code = $1 and status = 'ACTIVE'
     limit 1`,
    [code],
  );
  return row;
}

/** 0 without a promo code, or with one that carries nothing. */
export async function findTrialCredit(ctx: Ctx, userId: string): Promise<bigint> {
  const [row] = await ctx.db.query<{ trialCreditMicros: bigint }>(
    `select promo_codes.trial_credit_micros as "trialCreditMicros"
       from users join promo_codes on promo_codes.id = users.promo_code_id where users.id = $1`,
    [userId],
  );
  return row?.trialCreditMicros ?? 0n;
}
