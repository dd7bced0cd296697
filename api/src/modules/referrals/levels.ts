import { referralLevels, referralLevelTable, type ReferralLevel } from '@cellhop/contract/referrals.values';

/** The highest level for this number of top-ups in one calendar month. */
export function levelFromPayments(payments: number): ReferralLevel {
  return referralLevels.findLast((level) => payments >= referralLevelTable[level].minimumPayments) ?? 'BASIC';
}

/** Rounded down to micro-dollars. */
export function bonusMicros(level: ReferralLevel, topUpMicros: bigint): bigint {
  return (topUpMicros * BigInt(referralLevelTable[level].bonusPercent)) / 100n;
}
