import { z } from 'zod';
import { emailSchema, referralCodeSchema } from '../auth.forms.ts';
import { dateInputSchema, dollarsSchema } from '../fields.ts';
import {
  PROMO_CODE_BUDGET_DOLLARS_MAX,
  PROMO_CODE_CREDITS_MAX,
  REFERRAL_EMAIL_LENGTH_MAX,
  REFERRAL_EMAIL_LENGTH_MIN,
  TRIAL_CREDIT_DOLLARS_MAX,
} from '../limits.ts';

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
