/** Promo codes as staff create, list and disable them. */
import { z } from 'zod';
import { emailSchema, referralCodeSchema } from '../auth.ts';
import { endpoint } from '../endpoint.ts';
import {
  PROMO_CODE_BUDGET_DOLLARS_MAX,
  PROMO_CODE_CREDITS_MAX,
  REFERRAL_CODE_LENGTH_MAX,
  REFERRAL_EMAIL_LENGTH_MAX,
  REFERRAL_EMAIL_LENGTH_MIN,
  TRIAL_CREDIT_DOLLARS_MAX,
} from '../limits.ts';
import { ownPromoCodeSchema } from '../referrals.ts';
import {
  data,
  dateInputSchema,
  dollarsSchema,
  idParams,
  idSchema,
  listQuery,
  listed,
  reasonSchema,
  versionSchema,
} from '../schemas.ts';

export const promoCodeSchema = ownPromoCodeSchema.extend({
  /** The owner: the referrer of everyone who signs up with the code. */
  referral: z.object({ id: idSchema, email: z.string() }),
  /** US dollars for each new person; 0: no trial credit. */
  trialCredit: dollarsSchema,
  /** The maximum number of trial credits; null: no maximum. */
  trialCreditsMax: z.int().nonnegative().nullable(),
  /** US dollars, for all its trial credits together; null: no limit. */
  budget: dollarsSchema.nullable(),
  /** Trial credits granted so far. */
  trialCreditsCount: z.int().nonnegative(),
  credited: dollarsSchema,
  version: versionSchema,
});
export type PromoCode = z.infer<typeof promoCodeSchema>;

const dollarsUpTo = (maximum: number) => dollarsSchema.min(0).max(maximum);

export const createPromoCodeBody = z.strictObject({
  code: referralCodeSchema,
  /** The email of its owner. */
  referralEmail: emailSchema.min(REFERRAL_EMAIL_LENGTH_MIN).max(REFERRAL_EMAIL_LENGTH_MAX),
  trialCredit: dollarsUpTo(TRIAL_CREDIT_DOLLARS_MAX).default(0),
  trialCreditsMax: z.int().min(0).max(PROMO_CODE_CREDITS_MAX).optional(),
  budget: dollarsUpTo(PROMO_CODE_BUDGET_DOLLARS_MAX).optional(),
  expiredAt: dateInputSchema.optional(),
});
export type CreatePromoCodeBody = z.output<typeof createPromoCodeBody>;

export const listPromoCodes = endpoint({
  method: 'GET',
  url: '/v1/referral-system/promo-codes/admin',
  access: { permission: 'PROMO_CODES_READ' },
  summary: 'Promo codes of all users or of one, newest first',
  query: z.strictObject({
    ...listQuery,
    userId: idSchema.optional(),
    status: ownPromoCodeSchema.shape.status.optional(),
    /** The first characters of the code; not case-sensitive. */
    code: z.string().min(1).max(REFERRAL_CODE_LENGTH_MAX).optional(),
  }),
  response: listed(promoCodeSchema),
});

export const createPromoCode = endpoint({
  method: 'POST',
  url: '/v1/referral-system/promo-codes/admin',
  access: { permission: 'PROMO_CODES_WRITE' },
  summary: 'Create a promo code; its trial credits may have a maximum and a budget',
  body: createPromoCodeBody,
  response: data(promoCodeSchema),
  status: 201,
  errors: ['CODE_EXISTS', 'REFERRAL_NOT_FOUND', 'IDEMPOTENCY_KEY_REUSED'],
});

export const disablePromoCode = endpoint({
  method: 'POST',
  url: '/v1/referral-system/promo-codes/admin/{id}/disable',
  access: { permission: 'PROMO_CODES_WRITE' },
  summary: 'Disable a promo code: nobody can sign up with it any more',
  params: idParams,
  body: z.strictObject({ reason: reasonSchema.optional(), version: versionSchema.optional() }),
  response: data(promoCodeSchema),
  errors: ['NOT_FOUND', 'CHANGED_ELSEWHERE'],
});
