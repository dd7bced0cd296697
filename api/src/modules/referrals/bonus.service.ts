/** What referrers earn: their level, and the bonus for each credited top-up of the people they brought. */
import type { ReferralLevel } from '@cellhop/contract/referrals';
import type { Ctx } from '../../ctx.ts';
import { systemAccounts, type Transfer } from '../ledger/ledger.service.ts';
import * as store from './bonus.store.ts';
import { bonusMicros, levelFromPayments } from './levels.ts';

/** The level that holds this month: the one reached by the payments of last month (UTC). */
export async function currentLevel(ctx: Ctx, userId: string): Promise<ReferralLevel> {
  return levelFromPayments(await store.countPaymentsOfLastMonth(ctx, userId));
}

/** Counts an invoice that has become paid for the payer's referrer; once, however often it is told. */
export function recordPayment(ctx: Ctx, invoiceId: string, payerId: string): Promise<void> {
  return store.insertPayment(ctx, invoiceId, payerId);
}

/** @returns the transfer to post together with the top-up; undefined if nobody earns anything */
export async function bonusTransfer(
  ctx: Ctx,
  topUp: Pick<Transfer, 'idempotencyKey' | 'amountMicros'>,
  payerId: string,
): Promise<Transfer | undefined> {
  const referrer = await store.findReferrer(ctx, payerId);
  if (!referrer) return undefined;
  const amountMicros = bonusMicros(await currentLevel(ctx, referrer.userId), topUp.amountMicros);
  if (amountMicros === 0n) return undefined;
  return {
    idempotencyKey: `${topUp.idempotencyKey}:bonus`,
    debitAccountId: systemAccounts.bonus,
    creditAccountId: referrer.accountId,
    amountMicros,
    reason: 'REFERRAL_BONUS',
  };
}
