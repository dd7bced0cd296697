import { type ReferralLevel, referralLevels, referralLevelTable } from '@cellhop/contract/referrals.values';

interface Goal {
  level: ReferralLevel;
  /** Number of further top-ups by referrals that are needed this month. */
  missing: number;
}

/** The level after the one that was reached this month; undefined at the highest. */
export function nextGoal(reached: ReferralLevel, paymentsThisMonth: number): Goal | undefined {
  const level = referralLevels[referralLevels.indexOf(reached) + 1];
  if (level === undefined) return undefined;
  return { level, missing: referralLevelTable[level].minimumPayments - paymentsThisMonth };
}
