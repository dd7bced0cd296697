/** Who brought whom, and the trial credit that a promo code carries. */
import type { Ctx } from '../../ctx.ts';
import { systemAccounts, type Transfer } from '../ledger/ledger.service.ts';
import * as store from './referrals.store.ts';

export type Referrer = store.Referrer;

/** @param code a user's referral code or a promo code, in any case; expired and disabled ones are not found */
export function findReferrer(ctx: Ctx, code: string): Promise<Referrer | undefined> {
  return store.findReferrer(ctx, code.toUpperCase());
}

/**
 * The credit of the promo code that the user signed up with; its key lets it be posted once only. That the code has
 * ended meanwhile changes nothing: it was promised at sign-up.
 */
export async function trialTransfer(ctx: Ctx, userId: string, accountId: bigint): Promise<Transfer | undefined> {
  const amountMicros = await store.findTrialCredit(ctx, userId);
  if (amountMicros === 0n) return undefined;
  return {
    idempotencyKey: `trial:${userId}`,
    debitAccountId: systemAccounts.bonus,
    creditAccountId: accountId,
    amountMicros,
    reason: 'TRIAL',
  };
}
