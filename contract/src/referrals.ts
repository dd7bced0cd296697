import { z } from 'zod';
import { endpoint } from './endpoint.ts';
import { data, dateSchema, dollarsSchema, idSchema, paged, pageQuery } from './schemas.ts';

/** Levels of the referral programme, lowest first (product specification, section 4). */
export const referralLevels = ['BASIC', 'SILVER', 'GOLD', 'PLATINUM', 'PARTNER'] as const;
export type ReferralLevel = (typeof referralLevels)[number];

interface LevelRule {
  /** Top-ups by a user's referrals in one calendar month (UTC) that reach the level. */
  minimumPayments: number;
  /** What the level gives in the next month. */
  bonusPercent: number;
  /** As the table is published: its ranges of GOLD and PLATINUM share the 10, which counts as GOLD. */
  shownPayments: { from: number; to: number | null };
}

export const referralLevelTable: Record<ReferralLevel, LevelRule> = {
  BASIC: { minimumPayments: 0, bonusPercent: 0, shownPayments: { from: 0, to: 0 } },
  SILVER: { minimumPayments: 1, bonusPercent: 10, shownPayments: { from: 1, to: 5 } },
  GOLD: { minimumPayments: 6, bonusPercent: 15, shownPayments: { from: 6, to: 10 } },
  PLATINUM: { minimumPayments: 11, bonusPercent: 20, shownPayments: { from: 10, to: 21 } },
  PARTNER: { minimumPayments: 22, bonusPercent: 25, shownPayments: { from: 22, to: null } },
};

export const referralSummarySchema = z.object({
  /** Holds this month; reached by the payments of last month. */
  level: z.enum(referralLevels),
  bonusPercent: z.int().nonnegative(),
  code: z.string(),
  /** The sign-up page with the code filled in. */
  link: z.string(),
  /** Top-ups of the user's referrals in this calendar month (UTC), and the level they give for the next one. */
  paymentsThisMonth: z.int().nonnegative(),
  nextLevel: z.enum(referralLevels),
  /** When the next level takes its place. */
  monthEndsAt: dateSchema,
  registeredUsersCount: z.int().nonnegative(),
  /** US dollars, all bonuses so far. */
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

export const promoCodeStatuses = ['ACTIVE', 'EXPIRED', 'DISABLED'] as const;

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
