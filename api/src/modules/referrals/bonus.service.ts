/** Referral levels, and the bonus for each credited top-up of a referral. */
import { referralLevelTable, type ReferralLevel } from '@cellhop/contract/referrals.values';
import { toDollars } from '@cellhop/contract/units';
import type { Ctx } from '../../ctx.ts';
import { systemAccounts, type Transfer } from '../ledger/ledger.service.ts';
import { notify } from '../notifications/notifications.service.ts';
import * as store from './bonus.store.ts';
import { bonusMicros, levelFromPayments } from './levels.ts';

/** The level of this month, which depends on the payments of last month (UTC). */
export async function currentLevel(ctx: Ctx, userId: string): Promise<ReferralLevel> {
  return (await currentLevels(ctx, [userId])).get(userId) ?? 'BASIC';
}

/** Like `currentLevel`, in one query. Users without payments are left out: their level is BASIC. */
export async function currentLevels(ctx: Ctx, userIds: readonly string[]): Promise<ReadonlyMap<string, ReferralLevel>> {
  const counts = await store.countPaymentsOfLastMonth(ctx, userIds);
  return new Map(counts.map(({ referrerId, count }) => [referrerId, levelFromPayments(count)]));
}

/** Counts a paid invoice for the payer's referrer. Idempotent. */
export function recordPayment(ctx: Ctx, invoiceId: string, payerId: string): Promise<void> {
  return store.insertPayment(ctx, invoiceId, payerId);
}

/**
 * Computes the bonus of a top-up and notifies the referrer, in the caller's transaction.
 * @returns the transfer to post together with the top-up; undefined if there is no bonus
 */
export async function bonusTransfer(
  ctx: Ctx,
  topUp: Pick<Transfer, 'idempotencyKey' | 'amountMicros'>,
  payerId: string,
): Promise<Transfer | undefined> {
  const referrer = await store.findReferrer(ctx, payerId);
  if (!referrer) return undefined;
  const level = await currentLevel(ctx, referrer.userId);
  const amountMicros = bonusMicros(level, topUp.amountMicros);
  if (amountMicros === 0n) return undefined;
  const idempotencyKey = `${topUp.idempotencyKey}:bonus`;
  await notify(ctx, referrer.userId, idempotencyKey, {
    kind: 'REFERRAL_BONUS',
    details: { amount: toDollars(amountMicros), percent: referralLevelTable[level].bonusPercent },
  });
  return {
    idempotencyKey,
    debitAccountId: systemAccounts.bonus,
    creditAccountId: referrer.accountId,
    amountMicros,
    reason: 'REFERRAL_BONUS',
  };
}
