/** Applies requests, and records each action on them in the audit log. */
import { AppError } from '@cellhop/contract/errors';
import { toDollars } from '@cellhop/contract/units';
import assert from 'node:assert/strict';
import type { Actor } from '../../http/actor.ts';
import type { Ctx } from '../../ctx.ts';
import type { Requester } from '../../http/requester.ts';
import { record, type AuditEntry } from '../audit-log/audit-log.service.ts';
import * as refunds from '../billing/staff-refunds.service.ts';
import * as assignments from '../invoices/assignments.service.ts';
import * as suspendedPayments from '../invoices/suspended-payments.service.ts';
import * as settlements from '../invoices/settlement.service.ts';
import * as ledger from '../ledger/ledger.service.ts';
import { notify } from '../notifications/notifications.service.ts';
import * as promoCodes from '../referrals/promo-codes.service.ts';
import * as users from '../users/users.service.ts';
import type { RequestRow } from './approvals.store.ts';

/** An action of a member of staff on a request. */
export interface RequestAction {
  actor: Pick<Actor, 'userId'>;
  requester: Requester;
  request: RequestRow;
  /** The reason of an approval or a rejection. */
  decisionReason?: string | undefined;
}

export function apply(ctx: Ctx, action: RequestAction): Promise<void> {
  switch (action.request.kind) {
    case 'SETTLEMENT':
      return applySettlement(ctx, action);
    case 'REFUND':
      return applyRefund(ctx, action);
    case 'PROMO_CODE':
      return applyPromoCode(ctx, action);
    case 'RELEASE':
      return applyRelease(ctx, action);
    case 'ASSIGNMENT':
      return applyAssignment(ctx, action);
    case 'ADJUSTMENT':
      return applyAdjustment(ctx, action);
  }
}

/** @throws AppError REFUND_TOO_LARGE if less of the cost is left than at the request */
async function applyRefund(ctx: Ctx, action: RequestAction): Promise<void> {
  const { id, userId, connectionId, ip, amountMicros } = action.request;
  assert(connectionId !== null && ip !== null);
  await refunds.recordStaffRefund(ctx, connectionId, amountMicros);
  const transfer: ledger.Transfer = {
    idempotencyKey: `adjustment:${id}`,
    debitAccountId: ledger.systemAccounts.adjustment,
    creditAccountId: await findAccount(ctx, userId),
    amountMicros,
    reason: 'ADJUSTMENT',
  };
  await recordAction(ctx, action, 'CONNECTION_REFUNDED', {});
  await notify(ctx, userId, transfer.idempotencyKey, {
    kind: 'CONNECTION_REFUNDED',
    details: { ip, amount: toDollars(amountMicros) },
  });
  ctx.changed({ userId }, 'connections');
  const posted = await ledger.postLocked(ctx, [transfer]);
  assert(posted.has(transfer.idempotencyKey), `refund ${id} was already posted`);
}

/** Moves the money between the customer and the account of adjustments. @throws AppError SMALL_BALANCE */
async function applyAdjustment(ctx: Ctx, action: RequestAction): Promise<void> {
  const { id, userId, amountMicros } = action.request;
  const accountId = await findAccount(ctx, userId);
  const { balanceMicros } = await ledger.lockBalance(ctx, accountId);
  const { adjustment } = ledger.systemAccounts;
  const isCredit = amountMicros > 0n;
  const transfer: ledger.Transfer = {
    idempotencyKey: `adjustment:${id}`,
    debitAccountId: isCredit ? adjustment : accountId,
    creditAccountId: isCredit ? accountId : adjustment,
    amountMicros: isCredit ? amountMicros : -amountMicros,
    reason: 'ADJUSTMENT',
  };
  await recordAction(ctx, action, 'BALANCE_ADJUSTED', {
    before: { balance: toDollars(balanceMicros) },
    after: { balance: toDollars(balanceMicros + amountMicros) },
  });
  await notify(ctx, userId, transfer.idempotencyKey, {
    kind: 'ADJUSTMENT',
    details: { amount: toDollars(amountMicros) },
  });
  const posted = await ledger.postLocked(ctx, [transfer]);
  assert(posted.has(transfer.idempotencyKey), `adjustment ${id} was already posted`);
}

/** @throws AppError CHANGED_ELSEWHERE if the invoice has been credited since the request, so that it is not paid twice */
async function applySettlement(ctx: Ctx, action: RequestAction): Promise<void> {
  const { id: requestId, userId, invoiceId, units, amountMicros, creditedBeforeMicros } = action.request;
  assert(invoiceId !== null && units !== null);
  const before = await settlements.lockForSettlement(ctx, invoiceId);
  if (before.creditedMicros !== creditedBeforeMicros) throw new AppError('CHANGED_ELSEWHERE');
  const deposit = await settlements.recordDeposit(ctx, { invoiceId, requestId, units, amountMicros });
  await recordAction(ctx, action, 'INVOICE_SETTLED', {
    before: { status: before.status, credited: toDollars(before.creditedMicros) },
    after: { status: deposit.state.status, credited: toDollars(deposit.state.creditedMicros) },
  });
  await settlements.creditDeposit(ctx, deposit, await findAccount(ctx, userId), amountMicros);
}

/** The worker credits it. @throws AppError CHANGED_ELSEWHERE if it was resumed meanwhile */
async function applyRelease(ctx: Ctx, action: RequestAction): Promise<void> {
  const { depositId } = action.request;
  assert(depositId !== null);
  const rate = await suspendedPayments.resumeAtPar(ctx, depositId);
  await recordAction(ctx, action, 'DEPOSIT_RELEASED', { after: { rate } });
}

/** The worker credits it. @throws AppError CHANGED_ELSEWHERE if it was given to somebody meanwhile */
async function applyAssignment(ctx: Ctx, action: RequestAction): Promise<void> {
  const { depositId, userId } = action.request;
  assert(depositId !== null);
  await assignments.assign(ctx, depositId, userId);
  await recordAction(ctx, action, 'DEPOSIT_ASSIGNED', {});
}

/** A code that did not have to wait works already, and its creation is recorded. */
async function applyPromoCode(ctx: Ctx, action: RequestAction): Promise<void> {
  const { promoCodeId, status } = action.request;
  assert(promoCodeId !== null);
  if (status !== 'PENDING') return;
  await promoCodes.releasePromoCode(ctx, promoCodeId);
  await recordAction(ctx, action, 'PROMO_CODE_APPROVED', {
    before: { status: 'PENDING' },
    after: { status: 'ACTIVE' },
  });
}

export function recordRequested(ctx: Ctx, action: RequestAction): Promise<void> {
  return recordAction(ctx, action, 'APPROVAL_REQUESTED', { after: { status: 'PENDING' } });
}

export function recordRejected(ctx: Ctx, action: RequestAction): Promise<void> {
  return recordAction(ctx, action, 'REQUEST_REJECTED', {
    before: { status: 'PENDING' },
    after: { status: 'REJECTED' },
  });
}

function recordAction(
  ctx: Ctx,
  { actor, requester, request, decisionReason }: RequestAction,
  action: AuditEntry['action'],
  values: Pick<AuditEntry, 'before' | 'after'>,
): Promise<void> {
  const { id, kind, userId, invoiceId, connectionId, depositId, amountMicros, authorId, reason } = request;
  return record(ctx, {
    action,
    actorId: actor.userId,
    userId,
    subject: toSubject(action, request),
    requester,
    reason,
    details: {
      kind,
      requestId: id,
      amount: toDollars(amountMicros),
      ...(invoiceId !== null && { invoiceId }),
      ...(connectionId !== null && { connectionId }),
      ...(depositId !== null && { deposit: depositId }),
      ...(authorId !== actor.userId && { requestedBy: authorId }),
      ...(decisionReason !== undefined && { decisionReason }),
    },
    ...values,
  });
}

function toSubject(
  action: AuditEntry['action'],
  { id, invoiceId, promoCodeId, connectionId }: RequestRow,
): NonNullable<AuditEntry['subject']> {
  if (action === 'INVOICE_SETTLED' && invoiceId !== null) return { type: 'INVOICE', id: invoiceId };
  if (action === 'CONNECTION_REFUNDED' && connectionId !== null) return { type: 'CONNECTION', id: connectionId };
  if (action === 'PROMO_CODE_APPROVED' && promoCodeId !== null) return { type: 'PROMO_CODE', id: promoCodeId };
  return { type: 'REQUEST', id };
}

async function findAccount(ctx: Ctx, userId: string): Promise<bigint> {
  const user = await users.findUser(ctx, userId);
  assert(user, `customer ${userId} does not exist`);
  return user.accountId;
}
