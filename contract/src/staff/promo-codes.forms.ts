import { z } from 'zod';
import { emailSchema, referralCodeSchema } from '../auth.forms.ts';
import { dateInputSchema, dollarsSchema, reasonSchema } from '../fields.ts';
import {
  PROMO_CODE_BUDGET_DOLLARS_MAX,
  PROMO_CODE_CREDITS_MAX,
  REFERRAL_EMAIL_LENGTH_MAX,
  REFERRAL_EMAIL_LENGTH_MIN,
  TRIAL_CREDIT_DOLLARS_MAX,
} from '../limits.ts';

const dollarsUpTo = (maximum: number) => dollarsSchema.min(0).max(maximum);

/** Codes of look-alike letters could not be told apart, so new ones consist of these characters. */
const NEW_CODE_PATTERN = /^[A-Za-z0-9_-]*$/;
/** Forms map it to a translated text. */
export const CODE_CHARACTERS = 'must consist of letters A to Z, digits, - and _';

/** What a code with a trial credit must say as well. */
const termsOfCredit = ['trialCreditsMax', 'budget', 'reason'] as const;
const NEEDED_FOR_CREDIT = 'is required for a trial credit';

type TermsOfCredit = Partial<Record<(typeof termsOfCredit)[number], unknown>> & { trialCredit: number };

/** A credit has a maximum of uses, a budget and a reason. Forms have a message of their own. */
export function requireTermsOfCredit(body: TermsOfCredit, context: z.RefinementCtx, message = NEEDED_FOR_CREDIT): void {
  if (body.trialCredit === 0) return;
  for (const term of termsOfCredit)
    if (body[term] === undefined) context.addIssue({ code: 'custom', path: [term], message });
}

export const promoCodeFields = z.strictObject({
  code: referralCodeSchema.regex(NEW_CODE_PATTERN, CODE_CHARACTERS),
  /** The email of its owner. */
  referralEmail: emailSchema.min(REFERRAL_EMAIL_LENGTH_MIN).max(REFERRAL_EMAIL_LENGTH_MAX),
  trialCredit: dollarsUpTo(TRIAL_CREDIT_DOLLARS_MAX).default(0),
  trialCreditsMax: z.int().min(0).max(PROMO_CODE_CREDITS_MAX).optional(),
  budget: dollarsUpTo(PROMO_CODE_BUDGET_DOLLARS_MAX).optional(),
  expiredAt: dateInputSchema.optional(),
  /** Why the shop gives the credit away; it is kept in the audit log and shown to those who approve it. */
  reason: reasonSchema.optional(),
});

export const createPromoCodeBody = promoCodeFields.superRefine((body, context) => requireTermsOfCredit(body, context));
export type CreatePromoCodeBody = z.output<typeof createPromoCodeBody>;
