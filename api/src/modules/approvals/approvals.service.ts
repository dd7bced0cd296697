/**
 * Changes of money by staff: adjustments of balances and settlements of invoices by hand. Small ones are applied at once. Above
 * the limit they wait for a second member of staff and move no money until then.
 *
 * Lock order: the customer's row, the request, the invoice, accounts. The customer's row serializes everything that staff do with
 * their money, so that concurrent requests cannot pass the limit together.
 */
import { AppError } from '@cellhop/contract/errors';
import { APPROVAL_HOURS_MAX, APPROVAL_SUM_HOURS } from '@cellhop/contract/limits';
import type { StaffRequest } from '@cellhop/contract/staff/approvals';
import type { RequestStatus } from '@cellhop/contract/staff/lists.values';
import type { SettleInvoiceBody } from '@cellhop/contract/staff/invoices';
import type { CreateAdjustmentBody } from '@cellhop/contract/staff/transactions';
import { toMicros, toDollars } from '@cellhop/contract/units';
import assert from 'node:assert/strict';
import type { Actor } from '../../http/actor.ts';
import { cleanUp } from '../../db/clean-up.ts';
import type { Ctx } from '../../ctx.ts';
import { readListed, type PageQuery } from '../../http/paging.ts';
import { requireSameRequest } from '../../db/refusals.ts';
import { STAFF } from '../../live/changes.ts';
import type { Requester } from '../../http/requester.ts';
import * as settlements from '../invoices/settlement.service.ts';
import * as users from '../users/users.service.ts';
import {
  applyAdjustment,
  applySettlement,
  recordRejected,
  recordRequested,
  type RequestAction,
} from './application.ts';
import * as store from './approvals.store.ts';
import type { RequestRow } from './approvals.store.ts';

/** The member of staff and the request's origin. */
export interface Staff {
  actor: Pick<Actor, 'userId'>;
  requester: Requester;
}

/** @throws AppError NOT_FOUND, SMALL_BALANCE, IDEMPOTENCY_KEY_REUSED */
export function requestAdjustment(
  ctx: Ctx,
  staff: Staff,
  { userId, amount, reason }: CreateAdjustmentBody,
  key: string | null,
): Promise<StaffRequest> {
  const amountMicros = toMicros(amount);
  return ctx.tx(async (ctx) => {
    if (!(await users.lockUser(ctx, userId))) throw new AppError('NOT_FOUND', { thing: 'User' });
    const replayed = await store.findByKey(ctx, staff.actor.userId, key);
    if (replayed) {
      const isSame = (made: store.RequestRow) =>
        made.kind === 'ADJUSTMENT' &&
        made.userId === userId &&
        made.amountMicros === amountMicros &&
        made.reason === reason;
      return presentRequest(requireSameRequest(replayed, isSame));
    }
    return submit(ctx, staff, { kind: 'ADJUSTMENT', userId, amountMicros, reason, ...NO_INVOICE }, key);
  });
}

const NO_INVOICE = { invoiceId: null, currency: null, units: null, creditedBeforeMicros: null };

/** @throws AppError NOT_FOUND, NOTHING_DUE, VALIDATION, CHANGED_ELSEWHERE, IDEMPOTENCY_KEY_REUSED */
export async function requestSettlement(
  ctx: Ctx,
  staff: Staff,
  invoiceId: string,
  { reason, due, ...typed }: SettleInvoiceBody,
  key: string | null,
): Promise<StaffRequest> {
  const userId = await settlements.findPayer(ctx, invoiceId);
  if (userId === undefined) throw new AppError('NOT_FOUND', { thing: 'Invoice' });
  return ctx.tx(async (ctx) => {
    await users.lockUser(ctx, userId);
    const replayed = await store.findByKey(ctx, staff.actor.userId, key);
    if (replayed) {
      const isSame = (made: store.RequestRow) =>
        made.invoiceId === invoiceId &&
        made.reason === reason &&
        (typed.amount === undefined || made.amountMicros === toMicros(typed.amount)) &&
        (typed.amountInCurrency === undefined ||
          (made.currency !== null && settlements.isSameAmount(made.currency, typed.amountInCurrency, made.units)));
      return presentRequest(requireSameRequest(replayed, isSame));
    }
    const { currency, creditedMicros } = await settlements.lockForSettlement(ctx, invoiceId);
    if (due !== undefined) await settlements.requireDue(ctx, invoiceId, toMicros(due));
    const { units, amountMicros } = await settlements.chooseAmounts(ctx, invoiceId, typed);
    const invoice = { invoiceId, currency, units, creditedBeforeMicros: creditedMicros };
    return submit(ctx, staff, { kind: 'SETTLEMENT', userId, amountMicros, reason, ...invoice }, key);
  });
}

type Submitted = Omit<store.NewRequest, 'isPending' | 'lapseHours' | 'authorId' | 'idempotencyKey'>;

/** The caller has locked the customer. */
async function submit(ctx: Ctx, staff: Staff, request: Submitted, key: string | null): Promise<StaffRequest> {
  const { userId: authorId } = staff.actor;
  const isPending = await needsApproval(ctx, authorId, request);
  const lapseHours = APPROVAL_HOURS_MAX;
  const id = await store.insertRequest(ctx, { ...request, isPending, lapseHours, authorId, idempotencyKey: key });
  // A concurrent request for another customer used the same key.
  if (id === undefined) throw new AppError('IDEMPOTENCY_KEY_REUSED');
  const row = (await store.findRequest(ctx, id))!;
  ctx.changed(STAFF, topics[request.kind]);
  const action: RequestAction = { ...staff, request: row };
  await (isPending ? recordRequested(ctx, action) : apply(ctx, action));
  return presentRequest(row);
}

/** A change of their own balance always needs approval, however small it is. */
async function needsApproval(
  ctx: Ctx,
  authorId: string,
  { userId, amountMicros }: Pick<store.NewRequest, 'userId' | 'amountMicros'>,
): Promise<boolean> {
  const { approvalMicros } = ctx.config;
  if (approvalMicros === undefined) return false;
  if (userId === authorId) return true;
  const before = await store.sumOfCustomer(ctx, userId, APPROVAL_SUM_HOURS);
  const size = amountMicros < 0n ? -amountMicros : amountMicros;
  return before + size > approvalMicros;
}

function apply(ctx: Ctx, action: RequestAction): Promise<void> {
  return action.request.kind === 'ADJUSTMENT' ? applyAdjustment(ctx, action) : applySettlement(ctx, action);
}

/**
 * Applies a request. A repeated approval by the same member of staff changes nothing.
 * @throws AppError NOT_FOUND, OWN_REQUEST, REQUEST_DECIDED, REQUEST_LAPSED, SMALL_BALANCE, CHANGED_ELSEWHERE
 */
export function approve(
  ctx: Ctx,
  staff: Staff,
  kind: store.RequestKind,
  { id, reason }: { id: string; reason: string | undefined },
): Promise<StaffRequest> {
  return decide(ctx, kind, id, async (ctx, request) => {
    // Neither its author nor the customer who would benefit.
    if ([request.authorId, request.userId].includes(staff.actor.userId)) throw new AppError('OWN_REQUEST');
    if (isDecidedBy(request, 'APPROVED', staff)) return;
    requirePending(request);
    await store.saveDecision(ctx, { id, status: 'APPROVED', deciderId: staff.actor.userId, reason });
    await apply(ctx, { ...staff, request, decisionReason: reason });
  });
}

/** Its author may do this too, to withdraw it. @throws AppError NOT_FOUND, REQUEST_DECIDED, REQUEST_LAPSED */
export function reject(
  ctx: Ctx,
  staff: Staff,
  kind: store.RequestKind,
  { id, reason }: { id: string; reason: string },
): Promise<StaffRequest> {
  return decide(ctx, kind, id, async (ctx, request) => {
    if (isDecidedBy(request, 'REJECTED', staff)) return;
    requirePending(request);
    await store.saveDecision(ctx, { id, status: 'REJECTED', deciderId: staff.actor.userId, reason });
    await recordRejected(ctx, { ...staff, request, decisionReason: reason });
  });
}

const topics = { ADJUSTMENT: 'staff-adjustments', SETTLEMENT: 'staff-settlements' } as const;

type Decision = (ctx: Ctx, request: store.RequestRow) => Promise<void>;

async function decide(ctx: Ctx, kind: store.RequestKind, id: string, decision: Decision) {
  const found = await store.findRequest(ctx, id);
  if (found?.kind !== kind) throw new AppError('NOT_FOUND', { thing: 'Request' });
  return ctx.tx(async (ctx) => {
    await users.lockUser(ctx, found.userId);
    await store.lockRequest(ctx, id);
    await decision(ctx, (await store.findRequest(ctx, id))!);
    ctx.changed(STAFF, topics[kind]);
    return presentRequest((await store.findRequest(ctx, id))!);
  });
}

/** True for a second click after a lost response. */
function isDecidedBy({ status, deciderId }: store.RequestRow, decided: RequestStatus, { actor }: Staff): boolean {
  return status === decided && deciderId === actor.userId;
}

function requirePending({ status }: store.RequestRow): void {
  if (status === 'LAPSED') throw new AppError('REQUEST_LAPSED');
  if (status !== 'PENDING') throw new AppError('REQUEST_DECIDED');
}

export async function listRequests(
  ctx: Ctx,
  kind: store.RequestKind,
  query: PageQuery & { status?: RequestStatus | undefined; userId?: string | undefined },
) {
  const filter = { kind, status: query.status ?? null, userId: query.userId ?? null };
  const [{ rows, ...pages }, pendingCount] = await Promise.all([
    readListed(query, {
      list: () => store.listRequests(ctx, filter, query),
      count: (limit) => store.countRequests(ctx, filter, limit),
    }),
    store.countPending(ctx, kind),
  ]);
  return { data: rows.map(presentRequest), ...pages, pendingCount };
}

/** Saves the status LAPSED of requests that nobody decided in time; reads already show it before. */
export async function lapseRequests(ctx: Ctx): Promise<void> {
  await cleanUp(ctx, 'lapsed requests', store.saveLapsed);
}

export type AdjustmentNote = store.AdjustmentNote;

/** The reason and the author of adjustments, by the id of their request. */
export async function findNotes(ctx: Ctx, ids: readonly string[]): Promise<Map<string, AdjustmentNote>> {
  if (ids.length === 0) return new Map();
  const notes = await store.listNotes(ctx, ids);
  assert.equal(notes.length, new Set(ids).size, 'an adjustment has no request');
  return new Map(notes.map((note) => [note.id, note]));
}

function presentRequest(row: RequestRow): StaffRequest {
  const { invoiceId, currency, units, deciderId, deciderEmail } = row;
  return {
    id: row.id,
    kind: row.kind,
    status: row.status,
    user: { id: row.userId, email: row.userEmail },
    invoice:
      invoiceId === null || currency === null || units === null
        ? null
        : { id: invoiceId, currency, amountInCurrency: settlements.describeUnits(currency, units) },
    amount: toDollars(row.amountMicros),
    reason: row.reason,
    author: { id: row.authorId, email: row.authorEmail },
    createdAt: row.createdAt.toISOString(),
    lapsesAt: row.lapsesAt?.toISOString() ?? null,
    decidedBy: deciderId === null || deciderEmail === null ? null : { id: deciderId, email: deciderEmail },
    decidedAt: row.decidedAt?.toISOString() ?? null,
    decisionReason: row.decisionReason,
  };
}
