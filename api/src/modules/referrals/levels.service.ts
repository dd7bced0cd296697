/** Referral levels, their monthly changes, and the bonus for each credited top-up of a referral. */
import { referralLevelTable, type ReferralLevel, referralLevels } from '@cellhop/contract/referrals.values';
import { toDollars } from '@cellhop/contract/units';
import type { Ctx } from '../../ctx.ts';
import { systemAccounts, type Transfer } from '../ledger/ledger.service.ts';
import { notify, notifyAll, type NewNotification } from '../notifications/notifications.service.ts';
import * as store from './levels.store.ts';

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

/** The highest level for this number of top-ups in one calendar month. */
export function levelFromPayments(payments: number): ReferralLevel {
  return referralLevels.findLast((level) => payments >= referralLevelTable[level].minimumPayments) ?? 'BASIC';
}

/** Rounded down to micro-dollars. */
export function bonusMicros(level: ReferralLevel, topUpMicros: bigint): bigint {
  return (topUpMicros * BigInt(referralLevelTable[level].bonusPercent)) / 100n;
}

const USERS_PER_BATCH = 500;

/** Notifies users of level changes at the start of a month (UTC). Runs once a month. An interrupted run is repeated, and users are notified only once. */
export async function notifyLevelChanges(ctx: Ctx): Promise<void> {
  const month = await store.findUnprocessedMonth(ctx);
  if (month === undefined) return;
  const notifications = (await store.listPayments(ctx, month)).flatMap((counts) => toNotification(month, counts));
  for (let start = 0; start < notifications.length; start += USERS_PER_BATCH)
    await ctx.tx((ctx) => notifyAll(ctx, notifications.slice(start, start + USERS_PER_BATCH)));
  await store.markMonthProcessed(ctx, month);
}

function toNotification(month: string, { userId, before, last }: store.PaymentCounts): NewNotification[] {
  const [levelBefore, level] = [levelFromPayments(before), levelFromPayments(last)];
  if (level === levelBefore) return [];
  const isHigher = referralLevels.indexOf(level) > referralLevels.indexOf(levelBefore);
  const details = { level, percent: referralLevelTable[level].bonusPercent, isHigher };
  return [{ userId, idempotencyKey: `referral-level:${month}`, event: { kind: 'LEVEL_CHANGED', details } }];
}
