import { z } from 'zod';
import { endpoint } from './endpoint.ts';
import { data, dateSchema, dollarsSchema, idSchema, paged, pageQuery } from './schemas.ts';
import { promoCodeStatuses, referralLevels } from './referrals.values.ts';

export const referralSummarySchema = z.object({
  /** The level of this month, based on the payments of last month. */
  level: z.enum(referralLevels),
  bonusPercent: z.int().nonnegative(),
  code: z.string(),
  /** The sign-up page with the code filled in. */
  link: z.string(),
  /** Top-ups of the user's referrals in this calendar month (UTC), and the resulting level of the next month. */
  paymentsThisMonth: z.int().nonnegative(),
  nextLevel: z.enum(referralLevels),
  /** When the next level takes effect. */
  monthEndsAt: dateSchema,
  registeredUsersCount: z.int().nonnegative(),
  /** US dollars: all bonuses, less those that were taken back because a payment has left its chain. */
  earned: dollarsSchema,
});
export type ReferralSummary = z.infer<typeof referralSummarySchema>;

export const getReferralSummary = endpoint({
  method: 'GET',
  url: '/v1/referral-system',
  access: 'user',
  summary: "The user's place in the referral programme",
  response: data(referralSummarySchema),
});

export const ownPromoCodeSchema = z.object({
  id: idSchema,
  code: z.string(),
  status: z.enum(promoCodeStatuses),
  registeredUsersCount: z.int().nonnegative(),
  createdAt: dateSchema,
  expiredAt: dateSchema.nullable(),
});
export type OwnPromoCode = z.infer<typeof ownPromoCodeSchema>;

export const listOwnPromoCodes = endpoint({
  method: 'GET',
  url: '/v1/referral-system/promo-codes',
  access: 'user',
  summary: 'Promo codes that belong to the user, newest first',
  query: z.strictObject(pageQuery),
  response: paged(ownPromoCodeSchema),
});
