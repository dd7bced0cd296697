import type { ReferralLevel } from '@cellhop/contract/referrals';
import { referralLevels, referralLevelTable } from '@cellhop/contract/referrals.plain';

interface Goal {
  level: ReferralLevel;
  /** How many more top-ups of referrals this month reach it. */
  missing: number;
}

/** The level above the one that this month has reached so far; nothing is above the highest. */
export function nextGoal(reached: ReferralLevel, paymentsThisMonth: number): Goal | undefined {
  const level = referralLevels[referralLevels.indexOf(reached) + 1];
  if (level === undefined) return undefined;
  return { level, missing: referralLevelTable[level].minimumPayments - paymentsThisMonth };
}
