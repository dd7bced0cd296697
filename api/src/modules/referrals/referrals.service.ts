/** Referrers, the trial credit of promo codes, and the referral programme page of a user. */
import type { ReferralSummary } from '@cellhop/contract/referrals';
import { referralLevelTable } from '@cellhop/contract/referrals.values';
import { asciiCode } from '@cellhop/contract/typed-codes.values';
import { toDollars } from '@cellhop/contract/units';
import assert from 'node:assert/strict';
import type { Ctx } from '../../ctx.ts';
import { keepValue } from '../../process/kept-value.ts';
import type { Actor } from '../../http/actor.ts';
import { systemAccounts, type Transfer, sumReferralBonuses } from '../ledger/ledger.service.ts';
import * as store from './referrals.store.ts';
import { currentLevel, levelFromPayments } from './levels.service.ts';

export type Referrer = store.Referrer;
export type Offer = store.OfferRow;

/** @param code a user's referral code or a promo code as typed, not case-sensitive; expired and disabled codes are not found */
export async function findReferrer(ctx: Ctx, code: string): Promise<Referrer | undefined> {
  const exact = await store.findReferrer(ctx, code.toUpperCase());
  return exact ?? store.findReferrer(ctx, asciiCode(code).toUpperCase());
}

/**
 * What visitors get with the code of PUBLIC_PROMO_CODE; without the database visitors sign up as they do without a code.
 * @returns undefined without the setting, or if the code cannot be used to sign up
 */
export function createOfferReader(ctx: Ctx): () => Promise<Offer | undefined> {
  const { publicPromoCode } = ctx.config;
  if (publicPromoCode === undefined) return () => Promise.resolve(undefined);
  const read = keepValue(ctx.log, 'the public promo code', () => store.findOffer(ctx, publicPromoCode.toUpperCase()));
  return () => read().catch(() => undefined);
}

/**
 * The trial credit of the promo code that the user signed up with, in the caller's transaction: once per person, within the code's maximum
 * and budget. It is granted even if the code has expired since the sign-up.
 * @param countForNetwork returns false if the client's network has had its credits of the day
 * @returns undefined if there is no credit
 */
export async function trialTransfer(
  ctx: Ctx,
  userId: string,
  accountId: bigint,
  countForNetwork: () => Promise<boolean>,
): Promise<Transfer | undefined> {
  const credit = await store.lockTrialCredit(ctx, userId);
  if (!credit || !(await store.claimTrialCredit(ctx, userId, credit))) return undefined;
  // The person has had their one credit, so that another try from another network gets none.
  if (!(await countForNetwork())) return undefined;
  await store.countTrialCredit(ctx, credit);
  return {
    idempotencyKey: `trial:${userId}`,
    debitAccountId: systemAccounts.bonus,
    creditAccountId: accountId,
    amountMicros: credit.amountMicros,
    reason: 'TRIAL',
  };
}

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

export { forgetAddress } from './referrals.store.ts';
