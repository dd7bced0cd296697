/** What staff may ask for: adjustments, refunds of connections, settlements of invoices by hand, lost payments, and promo codes with a credit. */
import { AppError } from '@cellhop/contract/errors';
import type { StaffRequest } from '@cellhop/contract/staff/approvals';
import type { RefundConnectionBody } from '@cellhop/contract/staff/connections';
import type {
  AssignDepositBody,
  ReleaseDepositBody,
  ReleasedDeposit,
  SettleInvoiceBody,
} from '@cellhop/contract/staff/invoices';
import type { CreatePromoCodeBody, PromoCode } from '@cellhop/contract/staff/promo-codes';
import type { CreateAdjustmentBody } from '@cellhop/contract/staff/transactions';
import { toMicros } from '@cellhop/contract/units';
import type { Ctx } from '../../ctx.ts';
import { hashBody, isSameBody, requireSameRequest } from '../../db/refusals.ts';
import { requireRefundable } from '../billing/staff-refunds.service.ts';
import { record } from '../audit-log/audit-log.service.ts';
import * as assignments from '../invoices/assignments.service.ts';
import * as suspendedPayments from '../invoices/suspended-payments.service.ts';
import * as settlements from '../invoices/settlement.service.ts';
import * as promoCodes from '../referrals/promo-codes.service.ts';
import * as users from '../users/users.service.ts';
import type { RequestRow } from './approvals.store.ts';
import * as store from './approvals.store.ts';
import { lockForRequest, needsApproval, NO_SUBJECT, type Staff, submit } from './gate.ts';
import { presentRequest } from './request-presenter.ts';

/** @throws AppError NOT_FOUND, ACCOUNT_DELETED, SMALL_BALANCE, IDEMPOTENCY_KEY_REUSED */
export function requestAdjustment(
  ctx: Ctx,
  staff: Staff,
  { userId, amount, reason }: CreateAdjustmentBody,
  key: string | null,
): Promise<StaffRequest> {
  const amountMicros = toMicros(amount);
  return ctx.tx(async (ctx) => {
    await lockForRequest(ctx, staff, userId);
    const replayed = await store.findByKey(ctx, staff.actor.userId, key);
    if (replayed) {
      const isSame = (made: RequestRow) =>
        made.kind === 'ADJUSTMENT' &&
        made.userId === userId &&
        made.amountMicros === amountMicros &&
        made.reason === reason;
      return presentOwn(requireSameRequest(replayed, isSame));
    }
    return presentOwn(
      await submit(ctx, staff, { ...NO_SUBJECT, kind: 'ADJUSTMENT', userId, amountMicros, reason }, key),
    );
  });
}

/** @throws AppError NOT_FOUND, ACCOUNT_DELETED, REFUND_TOO_LARGE, IDEMPOTENCY_KEY_REUSED */
export async function requestRefund(
  ctx: Ctx,
  staff: Staff,
  connectionId: string,
  { amount, reason }: RefundConnectionBody,
  key: string | null,
): Promise<StaffRequest> {
  const amountMicros = toMicros(amount);
  const userId = await store.findBuyer(ctx, connectionId);
  if (userId === undefined) throw new AppError('NOT_FOUND', { thing: 'Connection' });
  return ctx.tx(async (ctx) => {
    await lockForRequest(ctx, staff, userId);
    const replayed = await store.findByKey(ctx, staff.actor.userId, key);
    if (replayed) {
      const isSame = (made: RequestRow) =>
        made.connectionId === connectionId && made.amountMicros === amountMicros && made.reason === reason;
      return presentOwn(requireSameRequest(replayed, isSame));
    }
    await requireRefundable(ctx, connectionId, amountMicros);
    const request = { ...NO_SUBJECT, kind: 'REFUND', connectionId, userId, amountMicros, reason } as const;
    return presentOwn(await submit(ctx, staff, request, key));
  });
}

/** @throws AppError NOT_FOUND, ACCOUNT_DELETED, NOTHING_DUE, INVOICE_PAID, VALIDATION, CHANGED_ELSEWHERE, IDEMPOTENCY_KEY_REUSED */
export async function requestSettlement(
  ctx: Ctx,
  staff: Staff,
  invoiceId: string,
  { reason, due, isPaidAgain, ...typed }: SettleInvoiceBody,
  key: string | null,
): Promise<StaffRequest> {
  const bodyHash = hashBody({ reason, due, isPaidAgain, ...typed });
  const userId = await settlements.findPayer(ctx, invoiceId);
  if (userId === undefined) throw new AppError('NOT_FOUND', { thing: 'Invoice' });
  return ctx.tx(async (ctx) => {
    await lockForRequest(ctx, staff, userId);
    const replayed = await store.findByKey(ctx, staff.actor.userId, key);
    if (replayed) {
      const isSame = (made: RequestRow) =>
        made.invoiceId === invoiceId &&
        made.reason === reason &&
        isSameBody(made.bodyHash, bodyHash) &&
        (typed.amount === undefined || made.amountMicros === toMicros(typed.amount)) &&
        (typed.amountInCurrency === undefined ||
          (made.currency !== null && settlements.isSameAmount(made.currency, typed.amountInCurrency, made.units)));
      return presentOwn(requireSameRequest(replayed, isSame));
    }
    const { currency, creditedMicros } = await settlements.lockForSettlement(ctx, invoiceId);
    if (due !== undefined) await settlements.requireDue(ctx, invoiceId, toMicros(due));
    const { units, amountMicros } = await settlements.chooseAmounts(ctx, invoiceId, typed);
    if (isPaidAgain === undefined) await settlements.requireUnpaid(ctx, invoiceId);
    const invoice = { ...NO_SUBJECT, invoiceId, currency, units, creditedBeforeMicros: creditedMicros, bodyHash };
    return presentOwn(await submit(ctx, staff, { ...invoice, kind: 'SETTLEMENT', userId, amountMicros, reason }, key));
  });
}

/**
 * Credits a stablecoin without its peg at its market price, which creates nothing, or asks for one dollar each.
 * @throws AppError NOT_FOUND, ACCOUNT_DELETED, RATE_UNAVAILABLE, CHANGED_ELSEWHERE, IDEMPOTENCY_KEY_REUSED
 */
export async function releaseDeposit(
  ctx: Ctx,
  staff: Staff,
  depositId: string,
  { rate, reason }: ReleaseDepositBody,
  key: string | null,
): Promise<ReleasedDeposit> {
  const userId = await suspendedPayments.findOwner(ctx, depositId);
  if (userId === undefined) throw new AppError('NOT_FOUND', { thing: 'Deposit' });
  return ctx.tx(async (ctx) => {
    await lockForRequest(ctx, staff, userId);
    const replayed = await store.findByKey(ctx, staff.actor.userId, key);
    if (replayed) {
      const isSame = (made: RequestRow) => made.depositId === depositId && rate === 'PAR' && made.reason === reason;
      return presentRelease(requireSameRequest(replayed, isSame));
    }
    const { marketE12, excessMicros } = await suspendedPayments.weigh(ctx, depositId);
    if (rate === 'PAR' && excessMicros > 0n) {
      const request = {
        ...NO_SUBJECT,
        kind: 'RELEASE',
        depositId,
        userId,
        amountMicros: excessMicros,
        reason,
      } as const;
      return presentRelease(await submit(ctx, staff, request, key));
    }
    if (marketE12 === undefined) throw new AppError('RATE_UNAVAILABLE');
    const decided = await suspendedPayments.resumeAt(ctx, depositId, marketE12);
    await record(ctx, {
      action: 'DEPOSIT_RELEASED',
      actorId: staff.actor.userId,
      userId,
      requester: staff.requester,
      reason,
      details: { deposit: depositId },
      after: { rate: decided },
    });
    return { rate: decided, request: null };
  });
}

function presentRelease(row: RequestRow): ReleasedDeposit {
  return { rate: row.status === 'APPLIED' || row.status === 'APPROVED' ? '1.00' : null, request: presentOwn(row) };
}

/**
 * Gives a payment to an address without a customer to one.
 * @throws AppError NOT_FOUND, ACCOUNT_DELETED, RATE_UNAVAILABLE, CHANGED_ELSEWHERE, IDEMPOTENCY_KEY_REUSED
 */
export async function assignDeposit(
  ctx: Ctx,
  staff: Staff,
  depositId: string,
  { email, reason }: AssignDepositBody,
  key: string | null,
): Promise<StaffRequest> {
  const amountMicros = await assignments.readValueMicros(ctx, depositId);
  const userId = await promoCodes.findOwner(ctx, email);
  if (userId === undefined) throw new AppError('NOT_FOUND', { thing: 'User' });
  return ctx.tx(async (ctx) => {
    await lockForRequest(ctx, staff, userId);
    const replayed = await store.findByKey(ctx, staff.actor.userId, key);
    if (replayed) {
      const isSame = (made: RequestRow) =>
        made.kind === 'ASSIGNMENT' && made.depositId === depositId && made.userId === userId && made.reason === reason;
      return presentOwn(requireSameRequest(replayed, isSame));
    }
    await assignments.requireUnassigned(ctx, depositId);
    if (amountMicros === undefined) throw new AppError('RATE_UNAVAILABLE');
    const request = { ...NO_SUBJECT, kind: 'ASSIGNMENT', depositId, userId, amountMicros, reason } as const;
    return presentOwn(await submit(ctx, staff, request, key));
  });
}

/**
 * A promo code with a credit is a request for the most that it can pay; it cannot be used to sign up before it is applied.
 * @throws AppError REFERRAL_NOT_FOUND, OWN_PROMO_CODE, CODE_EXISTS, IDEMPOTENCY_KEY_REUSED
 */
export async function requestPromoCode(
  ctx: Ctx,
  staff: Staff,
  body: CreatePromoCodeBody,
  key: string | null,
): Promise<PromoCode> {
  const { userId: authorId } = staff.actor;
  return ctx.tx(async (ctx) => {
    const userId = await promoCodes.findOwner(ctx, body.referralEmail);
    if (userId === undefined) throw new AppError('REFERRAL_NOT_FOUND');
    await lockForRequest(ctx, staff, userId);
    if (await users.isSamePerson(ctx, authorId, userId)) throw new AppError('OWN_PROMO_CODE');
    const request = { kind: 'PROMO_CODE', userId, amountMicros: promoCodes.liabilityMicros(body) } as const;
    const isHeld = request.amountMicros > 0n && (await needsApproval(ctx, authorId, request));
    const { promoCode, isNew } = await promoCodes.createPromoCode(ctx, { ...staff, body, userId, key, isHeld });
    if (!isNew || request.amountMicros === 0n) return promoCode;
    await submit(ctx, staff, { ...NO_SUBJECT, ...request, promoCodeId: promoCode.id, reason: body.reason ?? '' }, null);
    return promoCodes.requirePromoCode(ctx, promoCode.id);
  });
}

/** For the author, who cannot approve it. */
function presentOwn(row: RequestRow): StaffRequest {
  return presentRequest(row, false);
}
