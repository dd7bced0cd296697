/** Levels of the referral programme, lowest first (product specification, section 4). */
export const referralLevels = ['BASIC', 'SILVER', 'GOLD', 'PLATINUM', 'PARTNER'] as const;
export type ReferralLevel = (typeof referralLevels)[number];

/** Top-ups by a user's referrals in one calendar month that reach the level, and the bonus it gives in the next. */
export const referralLevelTable: Record<ReferralLevel, { minimumPayments: number; bonusPercent: number }> = {
  BASIC: { minimumPayments: 0, bonusPercent: 0 },
  SILVER: { minimumPayments: 1, bonusPercent: 10 },
  GOLD: { minimumPayments: 6, bonusPercent: 15 },
  PLATINUM: { minimumPayments: 11, bonusPercent: 20 },
  PARTNER: { minimumPayments: 22, bonusPercent: 25 },
};
