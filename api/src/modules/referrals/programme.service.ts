/** The referral programme page of a user. */
import { referralLevelTable } from '@cellhop/contract/referrals.values';
import { type ReferralSummary } from '@cellhop/contract/referrals';
import { toDollars } from '@cellhop/contract/units';
import assert from 'node:assert/strict';
import type { Actor } from '../../http/actor.ts';
import type { Ctx } from '../../ctx.ts';
import { sumReferralBonuses } from '../ledger/ledger.service.ts';
import { currentLevel } from './bonus.service.ts';
import { levelFromPayments } from './levels.ts';
import * as store from './programme.store.ts';

export async function summarise(ctx: Ctx, { userId, accountId }: Actor): Promise<ReferralSummary> {
  const [own, level, earnedMicros] = await Promise.all([
    store.findSummary(ctx, userId),
    currentLevel(ctx, userId),
    sumReferralBonuses(ctx, accountId),
  ]);
  assert(own, `user ${userId} does not exist any more`);
  return {
    level,
    bonusPercent: referralLevelTable[level].bonusPercent,
    code: own.code,
    link: `${ctx.config.publicUrl}/sign-up?rc=${encodeURIComponent(own.code)}`,
    paymentsThisMonth: own.paymentsThisMonth,
    nextLevel: levelFromPayments(own.paymentsThisMonth),
    monthEndsAt: own.monthEndsAt.toISOString(),
    registeredUsersCount: own.registeredUsersCount,
    earned: toDollars(earnedMicros),
  };
}
