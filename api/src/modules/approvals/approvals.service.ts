/** Decisions on requests by a second member of staff, and the lists of requests. */
import { AppError } from '@cellhop/contract/errors';
import type { StaffRequest } from '@cellhop/contract/staff/approvals';
import type { PromoCode } from '@cellhop/contract/staff/promo-codes';
import { type RequestList, requestLists, type RequestStatus } from '@cellhop/contract/staff/lists.values';
import assert from 'node:assert/strict';
import type { Actor } from '../../http/actor.ts';
import { cleanUp } from '../../db/clean-up.ts';
import type { Ctx } from '../../ctx.ts';
import { readListed, type PageQuery } from '../../http/paging.ts';
import { STAFF } from '../../live/changes.ts';
import * as promoCodes from '../referrals/promo-codes.service.ts';
import * as users from '../users/users.service.ts';
import { apply, recordRejected } from './application.ts';
import * as store from './approvals.store.ts';
import type { Staff } from './gate.ts';
import { mayDecide } from './parties.ts';
import { topicOf } from './request-kinds.ts';
import { presentRequest } from './request-presenter.ts';

interface Decision {
  id: string;
  reason: string | undefined;
}

/**
 * Applies a request. A repeated approval by the same member of staff changes nothing.
 * @throws AppError NOT_FOUND, OWN_REQUEST, REQUEST_DECIDED, REQUEST_LAPSED, ACCOUNT_DELETED, SMALL_BALANCE, CHANGED_ELSEWHERE
 */
export function approve(ctx: Ctx, staff: Staff, list: RequestList, { id, reason }: Decision): Promise<StaffRequest> {
  return decide(ctx, staff, list, id, async (ctx, request, isOthers) => {
    if (!isOthers) throw new AppError('OWN_REQUEST');
    if (isDecidedBy(request, 'APPROVED', staff)) return;
    requirePending(request);
    if (request.isUserDeleted) throw new AppError('ACCOUNT_DELETED');
    await store.saveDecision(ctx, { id, status: 'APPROVED', deciderId: staff.actor.userId, reason });
    await apply(ctx, { ...staff, request, decisionReason: reason });
  });
}

/** Its author may do this too, to withdraw it. @throws AppError NOT_FOUND, REQUEST_DECIDED, REQUEST_LAPSED */
export function reject(ctx: Ctx, staff: Staff, list: RequestList, { id, reason }: Decision): Promise<StaffRequest> {
  return decide(ctx, staff, list, id, async (ctx, request) => {
    if (isDecidedBy(request, 'REJECTED', staff)) return;
    requirePending(request);
    await saveRejection(ctx, staff, request, reason);
  });
}

async function saveRejection(ctx: Ctx, staff: Staff, request: store.RequestRow, reason: string | undefined) {
  await store.saveDecision(ctx, { id: request.id, status: 'REJECTED', deciderId: staff.actor.userId, reason });
  await recordRejected(ctx, { ...staff, request, decisionReason: reason });
}

/**
 * The code cannot be used to sign up any more. One that waits for approval is disabled by rejecting its request.
 * @throws AppError NOT_FOUND, CHANGED_ELSEWHERE
 */
export function disablePromoCode(
  ctx: Ctx,
  staff: Staff,
  id: string,
  { reason, version }: { reason?: string | undefined; version?: number | undefined },
): Promise<PromoCode> {
  return ctx.tx(async (ctx) => {
    const { referral } = await promoCodes.requirePromoCode(ctx, id);
    await users.lockUser(ctx, referral.id);
    const requestId = await store.lockRequestOfPromoCode(ctx, id);
    const request = requestId === undefined ? undefined : await store.findRequest(ctx, requestId);
    const isWaiting = request?.status === 'PENDING';
    await promoCodes.disablePromoCode(ctx, staff.actor, id, { reason, version, isWaiting }, staff.requester);
    if (isWaiting) await saveRejection(ctx, staff, request, reason);
    return promoCodes.requirePromoCode(ctx, id);
  });
}

type Deciding = (ctx: Ctx, request: store.RequestRow, isOthers: boolean) => Promise<void>;

async function decide(ctx: Ctx, staff: Staff, list: RequestList, id: string, decision: Deciding) {
  const { userId: actorId } = staff.actor;
  const found = await store.findRequest(ctx, id);
  if (!found || !requestLists[list].some((kind) => kind === found.kind))
    throw new AppError('NOT_FOUND', { thing: 'Request' });
  return ctx.tx(async (ctx) => {
    await users.lockUser(ctx, found.userId);
    await store.lockRequest(ctx, id);
    const request = (await store.findRequest(ctx, id))!;
    const isOthers = mayDecide(request, actorId, await users.findPerson(ctx, actorId));
    await decision(ctx, request, isOthers);
    ctx.changed(STAFF, topicOf(request.kind));
    return presentRequest((await store.findRequest(ctx, id))!, isOthers);
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

type ListQuery = PageQuery & { status?: RequestStatus | undefined; userId?: string | undefined };

export async function listRequests(ctx: Ctx, { userId }: Pick<Actor, 'userId'>, list: RequestList, query: ListQuery) {
  const kinds = requestLists[list];
  const filter = { kinds, status: query.status ?? null, userId: query.userId ?? null };
  const [{ rows, ...pages }, pendingCount, person] = await Promise.all([
    readListed(query, {
      list: () => store.listRequests(ctx, filter, query),
      count: (limit) => store.countRequests(ctx, filter, limit),
    }),
    store.countPending(ctx, kinds),
    users.findPerson(ctx, userId),
  ]);
  return { data: rows.map((row) => presentRequest(row, mayDecide(row, userId, person))), ...pages, pendingCount };
}

/**
 * Saves the status LAPSED of requests that were not decided in time, and of those whose authors were blocked or lost their permission: reads
 * already show it before. A change of users or roles calls it in its transaction, so that taking the change back revives nothing.
 */
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
