import type { Ctx } from '../../ctx.ts';

export interface Referrer {
  referrerId: string;
  /** Set if the code was a promo code, whose owner is the referrer. */
  promoCodeId: string | null;
}

/** A promo code takes precedence over a referral code. Codes of inactive users are not found. @param code upper case */
export async function findReferrer(ctx: Ctx, code: string): Promise<Referrer | undefined> {
  const [row] = await ctx.db.query<Referrer>(
    `select "referrerId", "promoCodeId" from (
       select users.id as "referrerId", promo_codes.id as "promoCodeId", 1 as precedence
         from promo_codes join readable_users as users on users.id = promo_codes.user_id
        where promo_codes.code = $1 and promo_codes.status = 'ACTIVE' and users.status = 'ACTIVE'
          and (promo_codes.expired_at is null or promo_codes.expired_at > now())
       union all
       select id, null, 2 from readable_users where referral_code = $1 and status = 'ACTIVE'
     ) as candidate
      order by precedence limit 1`,
    [code],
  );
  return row;
}

export interface OfferRow {
  code: string;
  /** What the code credits now; null without a credit, or if it is used up. */
  creditMicros: bigint | null;
}

/** @returns undefined if the promo code cannot be used to sign up. @param code upper case */
export async function findOffer(ctx: Ctx, code: string): Promise<OfferRow | undefined> {
  const [row] = await ctx.db.query<OfferRow>(
    `select promo_codes.code, case
              when trial_credit_micros > 0
               and (credits_max is null or credit_count < credits_max)
               and (budget_micros is null or credited_micros + trial_credit_micros <= budget_micros)
              then trial_credit_micros
            end as "creditMicros"
       from promo_codes join readable_users as users on users.id = promo_codes.user_id
      where promo_codes.code = $1 and promo_codes.status = 'ACTIVE' and users.status = 'ACTIVE'
        and (promo_codes.expired_at is null or promo_codes.expired_at > now())`,
    [code],
  );
  return row;
}

export interface TrialCredit {
  promoCodeId: string;
  amountMicros: bigint;
}

/** An exit may have had the address up to a day before or after its checks saw it. The demo's exits are on this machine, as its users are. */
const CAME_THROUGH_EXIT = `exists (
  select from readable_audit_log as entries
    join readable_exit_addresses as addresses on addresses.address = entries.ip
     and entries.created_at > since - interval '1 day' and entries.created_at < coalesce(until, now()) + interval '1 day'
   where entries.subject_type = 'USER' and entries.subject_id = users.id and entries.action in ('SIGN_UP', 'EMAIL_CONFIRMED')
     and not entries.ip <<= '127.0.0.0/8' and entries.ip <> '::1')`;

/**
 * Locks the promo code that the user signed up with, so that its limits hold for concurrent confirmations.
 * @returns undefined without a promo code, if the code has no credit or is used up, or if the user came through an exit of the shop
 */
export async function lockTrialCredit(ctx: Ctx, userId: string): Promise<TrialCredit | undefined> {
  const [row] = await ctx.db.query<TrialCredit>(
    `select promo_codes.id as "promoCodeId", trial_credit_micros as "amountMicros"
       from readable_users as users join promo_codes on promo_codes.id = users.promo_code_id
      where users.id = $1 and trial_credit_micros > 0
        and (credits_max is null or credit_count < credits_max)
        and (budget_micros is null or credited_micros + trial_credit_micros <= budget_micros)
        and not ${CAME_THROUGH_EXIT}
        for no key update of promo_codes`,
    [userId],
  );
  return row;
}

/** @returns false if this person already had a trial credit with any account; then nothing has changed */
export async function claimTrialCredit(ctx: Ctx, userId: string, credit: TrialCredit): Promise<boolean> {
  await ctx.db.query(
    `select pg_advisory_xact_lock(hashtextextended('trial_credits:' || encode(person, 'hex'), 0)) from readable_users where id = $1`,
    [userId],
  );
  const claimed = await ctx.db.query(
    `insert into trial_credits (folded_email, person, user_id, promo_code_id, amount_micros)
     select folded_email(email), person, id, $2, $3 from readable_users as users
      where id = $1 and not exists (select from trial_credits where trial_credits.person = users.person)
     on conflict do nothing returning user_id`,
    [userId, credit.promoCodeId, credit.amountMicros],
  );
  return claimed.length > 0;
}

/** Of a deleted account: the hash of the person stays. */
export async function forgetAddress(ctx: Ctx, userId: string): Promise<void> {
  await ctx.db.query(
    `update trial_credits set folded_email = 'deleted:' || user_id
      where user_id = $1`,
    [userId],
  );
}

export async function countTrialCredit(ctx: Ctx, { promoCodeId, amountMicros }: TrialCredit): Promise<void> {
  await ctx.db.query(
    `update promo_codes set credit_count = credit_count + 1, credited_micros = credited_micros + $2::bigint where id = $1`,
    [promoCodeId, amountMicros],
  );
}

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
