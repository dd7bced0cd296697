/** Levels of the referral programme, lowest first (product specification, section 4). */
export const referralLevels = ['BASIC', 'SILVER', 'GOLD', 'PLATINUM', 'PARTNER'] as const;

export type ReferralLevel = (typeof referralLevels)[number];

export const promoCodeStatuses = ['ACTIVE', 'EXPIRED', 'DISABLED'] as const;

interface LevelRule {
  /** Top-ups by a user's referrals in one calendar month (UTC) that reach the level. */
  minimumPayments: number;
  /** The bonus in the next month. */
  bonusPercent: number;
  /** The range as published: both GOLD and PLATINUM include 10, which counts as GOLD. */
  shownPayments: { from: number; to: number | null };
}

export const referralLevelTable: Record<ReferralLevel, LevelRule> = {
  BASIC: { minimumPayments: 0, bonusPercent: 0, shownPayments: { from: 0, to: 0 } },
  SILVER: { minimumPayments: 1, bonusPercent: 10, shownPayments: { from: 1, to: 5 } },
  GOLD: { minimumPayments: 6, bonusPercent: 15, shownPayments: { from: 6, to: 10 } },
  PLATINUM: { minimumPayments: 11, bonusPercent: 20, shownPayments: { from: 10, to: 21 } },
  PARTNER: { minimumPayments: 22, bonusPercent: 25, shownPayments: { from: 22, to: null } },
};
