/** Promo codes as staff create, list and disable them. */
import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import { REFERRAL_CODE_LENGTH_MAX } from '../limits.ts';
import { ownPromoCodeSchema } from '../referrals.ts';
import { data, dollarsSchema, idParams, idSchema, listed, listQuery, reasonSchema, versionSchema } from '../schemas.ts';
import { createPromoCodeBody } from './promo-codes.forms.ts';

export { createPromoCodeBody, type CreatePromoCodeBody } from './promo-codes.forms.ts';

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
  /**
   * Why nobody can sign up with it although nobody disabled it and it has not expired. OWNER: its owner is blocked or deleted.
   * APPROVAL: its credit waits for a second member of staff.
   */
  heldBecause: z.enum(['OWNER', 'APPROVAL']).nullable(),
  version: versionSchema,
});
export type PromoCode = z.infer<typeof promoCodeSchema>;

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
  summary: 'Create a promo code; a trial credit needs a maximum, a budget and a reason, and approval above the limit',
  body: createPromoCodeBody,
  response: data(promoCodeSchema),
  status: 201,
  errors: ['CODE_EXISTS', 'REFERRAL_NOT_FOUND', 'OWN_PROMO_CODE', 'IDEMPOTENCY_KEY_REUSED'],
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
