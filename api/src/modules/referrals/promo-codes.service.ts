/** Promo codes: lists for their owners and staff; staff create them through approvals/ and disable them. */
import { AppError } from '@cellhop/contract/errors';
import type { CreatePromoCodeBody, PromoCode } from '@cellhop/contract/staff/promo-codes';
import type { OwnPromoCode } from '@cellhop/contract/referrals';
import { toDollars, toMicros } from '@cellhop/contract/units';
import { isDeepStrictEqual } from 'node:util';
import type { Actor } from '../../http/actor.ts';
import type { Requester } from '../../http/requester.ts';
import type { Ctx } from '../../ctx.ts';
import { hashBody, isSameBody, requireSameRequest, refuseStale } from '../../db/refusals.ts';
import { STAFF } from '../../live/changes.ts';
import { readListed, type PageQuery } from '../../http/paging.ts';
import * as auditLog from '../audit-log/audit-log.service.ts';
import * as store from './promo-codes.store.ts';

export function listOwn(ctx: Ctx, { userId }: Actor, page: PageQuery) {
  return list(ctx, { userId }, page, presentOwn);
}

export function listForStaff(ctx: Ctx, { userId, status, code, ...page }: PageQuery & store.PromoCodeFilter) {
  return list(ctx, { userId, status, code: code?.toUpperCase() }, page, present);
}

async function list<T>(ctx: Ctx, filter: store.PromoCodeFilter, page: PageQuery, show: (row: store.PromoCodeRow) => T) {
  const { rows, ...pages } = await readListed(page, {
    list: () => store.listPromoCodes(ctx, filter, page),
    count: (limit) => store.countPromoCodes(ctx, filter, limit),
  });
  return { data: rows.map(show), ...pages };
}

/** @returns undefined if no user with this address can own a promo code */
export function findOwner(ctx: Ctx, email: string): Promise<string | undefined> {
  return store.findOwner(ctx, email.toLowerCase());
}

/** The most that the trial credits of a code can pay. */
export function liabilityMicros({ trialCredit, trialCreditsMax = 0, budget = 0 }: CreatePromoCodeBody): bigint {
  const [used, budgetMicros] = [toMicros(trialCredit) * BigInt(trialCreditsMax), toMicros(budget)];
  return used < budgetMicros ? used : budgetMicros;
}

interface Creation {
  actor: Pick<Actor, 'userId'>;
  requester: Requester;
  body: CreatePromoCodeBody;
  /** The owner. */
  userId: string;
  key: string | null;
  /** It cannot be used to sign up until `releasePromoCode`. */
  isHeld: boolean;
}

/**
 * For the gate of approvals/, in its transaction, because a credit is money of the shop.
 * @throws AppError CODE_EXISTS, IDEMPOTENCY_KEY_REUSED
 */
export async function createPromoCode(
  ctx: Ctx,
  { actor: { userId: actorId }, requester, body, userId, key, isHeld }: Creation,
): Promise<{ promoCode: PromoCode; isNew: boolean }> {
  const terms = {
    code: body.code.toUpperCase(),
    userId,
    trialCreditMicros: toMicros(body.trialCredit),
    creditsMax: body.trialCreditsMax ?? null,
    budgetMicros: body.budget === undefined ? null : toMicros(body.budget),
    expiredAt: body.expiredAt ?? null,
    idempotencyKey: key === null ? null : `${actorId}:${key}`,
    bodyHash: hashBody(body),
  };
  const id = await store.insertPromoCode(ctx, { ...terms, isHeld });
  if (id === undefined) return { promoCode: await presentReplay(ctx, terms), isNew: false };
  const { code, trialCredit, trialCreditsMax = null, budget = null, expiredAt } = { ...body, ...terms };
  await auditLog.record(ctx, {
    action: 'PROMO_CODE_CREATED',
    actorId,
    userId,
    subject: { type: 'PROMO_CODE', id },
    requester,
    reason: body.reason,
    after: { code, trialCredit, trialCreditsMax, budget, expiredAt },
  });
  ctx.changed(STAFF, 'staff-promo-codes');
  return { promoCode: await requirePromoCode(ctx, id), isNew: true };
}

/** A code that was held works from now on. */
export async function releasePromoCode(ctx: Ctx, id: string): Promise<void> {
  await store.activatePromoCode(ctx, id);
  ctx.changed(STAFF, 'staff-promo-codes');
}

/** If the code is taken and the key is not a repeat, another request has created the code. */
async function presentReplay(
  ctx: Ctx,
  { idempotencyKey, bodyHash, ...promoCode }: Omit<store.NewPromoCode, 'isHeld'>,
): Promise<PromoCode> {
  const made = idempotencyKey === null ? undefined : await store.findByKey(ctx, idempotencyKey);
  if (made === undefined) throw new AppError('CODE_EXISTS');
  return present(
    requireSameRequest(made, (row) => isDeepStrictEqual(promoCode, toTerms(row)) && isSameBody(row.bodyHash, bodyHash)),
  );
}

function toTerms({ code, userId, trialCreditMicros, trialCreditsMax, budgetMicros, expiredAt }: store.PromoCodeRow) {
  return {
    code,
    userId,
    trialCreditMicros,
    creditsMax: trialCreditsMax,
    budgetMicros,
    expiredAt: expiredAt?.toISOString() ?? null,
  };
}

interface Disabling {
  reason?: string | undefined;
  version?: number | undefined;
  /** Its request is still open, so that it is stored as disabled already; the caller rejects it. */
  isWaiting: boolean;
}

/**
 * For approvals/, in its transaction. Users who have signed up with the code still get its trial credit.
 * @throws AppError CHANGED_ELSEWHERE
 */
export async function disablePromoCode(
  ctx: Ctx,
  { userId: actorId }: Pick<Actor, 'userId'>,
  id: string,
  { reason, version, isWaiting }: Disabling,
  requester: Requester,
): Promise<void> {
  const { userId, status, version: current } = await store.lockPromoCode(ctx, id);
  if (status === 'DISABLED' && !isWaiting) return;
  refuseStale(version, current);
  await store.disablePromoCode(ctx, id);
  await auditLog.record(ctx, {
    action: 'PROMO_CODE_DISABLED',
    actorId,
    userId,
    subject: { type: 'PROMO_CODE', id },
    requester,
    reason,
    before: { status: isWaiting ? 'PENDING' : status },
    after: { status: 'DISABLED' },
  });
  ctx.changed(STAFF, 'staff-promo-codes');
}

/** @throws AppError NOT_FOUND */
export async function requirePromoCode(ctx: Ctx, id: string): Promise<PromoCode> {
  const promoCode = await store.findPromoCode(ctx, id);
  if (!promoCode) throw new AppError('NOT_FOUND', { thing: 'Promo code' });
  return present(promoCode);
}

function presentOwn({
  id,
  code,
  status,
  registeredUsersCount,
  createdAt,
  expiredAt,
}: store.PromoCodeRow): OwnPromoCode {
  return {
    id,
    code,
    status,
    registeredUsersCount,
    createdAt: createdAt.toISOString(),
    expiredAt: expiredAt?.toISOString() ?? null,
  };
}

function present(row: store.PromoCodeRow): PromoCode {
  return {
    ...presentOwn(row),
    referral: { id: row.userId, email: row.userEmail },
    trialCredit: toDollars(row.trialCreditMicros),
    trialCreditsMax: row.trialCreditsMax,
    budget: row.budgetMicros === null ? null : toDollars(row.budgetMicros),
    trialCreditsCount: row.trialCreditsCount,
    credited: toDollars(row.creditedMicros),
    heldBecause: row.heldBecause,
    version: row.version,
  };
}
