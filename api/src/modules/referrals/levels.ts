import { referralLevels, referralLevelTable, type ReferralLevel } from '@cellhop/contract/referrals';

/** The highest level that so many top-ups of one calendar month reach. */
export function levelFromPayments(payments: number): ReferralLevel {
  return referralLevels.findLast((level) => payments >= referralLevelTable[level].minimumPayments) ?? 'BASIC';
}

/** Rounds down to whole micro-dollars: the bonus is never more than its percentage. */
export function bonusMicros(level: ReferralLevel, topUpMicros: bigint): bigint {
  return (topUpMicros * BigInt(referralLevelTable[level].bonusPercent)) / 100n;
}
