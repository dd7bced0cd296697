/** Promo codes: lists for their owners and staff; staff create and disable them. */
import { AppError } from '@cellhop/contract/errors';
import type { CreatePromoCodeBody, PromoCode } from '@cellhop/contract/staff/promo-codes';
import type { OwnPromoCode } from '@cellhop/contract/referrals';
import { toDollars, toMicros } from '@cellhop/contract/units';
import { isDeepStrictEqual } from 'node:util';
import type { Actor } from '../../http/actor.ts';
import type { Requester } from '../../http/requester.ts';
import type { Ctx } from '../../ctx.ts';
import { requireSameRequest, refuseStale } from '../../db/refusals.ts';
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

/** @throws AppError REFERRAL_NOT_FOUND, CODE_EXISTS, IDEMPOTENCY_KEY_REUSED */
export function createPromoCode(
  ctx: Ctx,
  { userId: actorId }: Pick<Actor, 'userId'>,
  body: CreatePromoCodeBody,
  key: string | null,
  requester: Requester,
): Promise<PromoCode> {
  return ctx.tx(async (ctx) => {
    const userId = await store.findOwner(ctx, body.referralEmail.toLowerCase());
    if (userId === undefined) throw new AppError('REFERRAL_NOT_FOUND');
    const promoCode = {
      code: body.code.toUpperCase(),
      userId,
      trialCreditMicros: toMicros(body.trialCredit),
      creditsMax: body.trialCreditsMax ?? null,
      budgetMicros: body.budget === undefined ? null : toMicros(body.budget),
      expiredAt: body.expiredAt ?? null,
      idempotencyKey: key === null ? null : `${actorId}:${key}`,
    };
    const id = await store.insertPromoCode(ctx, promoCode);
    if (id === undefined) return presentReplay(ctx, promoCode);
    const { code, trialCredit, trialCreditsMax = null, budget = null, expiredAt } = { ...body, ...promoCode };
    await auditLog.record(ctx, {
      action: 'PROMO_CODE_CREATED',
      actorId,
      userId,
      subject: { type: 'PROMO_CODE', id },
      requester,
      after: { code, trialCredit, trialCreditsMax, budget, expiredAt },
    });
    return present((await store.findPromoCode(ctx, id))!);
  });
}

/** If the code is taken and the key is not a repeat, another request has created the code. */
async function presentReplay(ctx: Ctx, { idempotencyKey, ...promoCode }: store.NewPromoCode): Promise<PromoCode> {
  const made = idempotencyKey === null ? undefined : await store.findByKey(ctx, idempotencyKey);
  if (made === undefined) throw new AppError('CODE_EXISTS');
  const isSame = ({ code, userId, trialCreditMicros, trialCreditsMax, budgetMicros, expiredAt }: store.PromoCodeRow) =>
    isDeepStrictEqual(promoCode, {
      code,
      userId,
      trialCreditMicros,
      creditsMax: trialCreditsMax,
      budgetMicros,
      expiredAt: expiredAt?.toISOString() ?? null,
    });
  return present(requireSameRequest(made, isSame));
}

/**
 * Nobody can sign up with the code any more. Users who have signed up with it still get its trial credit.
 * @throws AppError NOT_FOUND, CHANGED_ELSEWHERE
 */
export function disablePromoCode(
  ctx: Ctx,
  { userId: actorId }: Pick<Actor, 'userId'>,
  id: string,
  { reason, version }: { reason?: string | undefined; version?: number | undefined },
  requester: Requester,
): Promise<PromoCode> {
  return ctx.tx(async (ctx) => {
    const promoCode = await store.lockPromoCode(ctx, id);
    if (!promoCode) throw new AppError('NOT_FOUND', { thing: 'Promo code' });
    const { userId, status } = promoCode;
    if (status !== 'DISABLED') {
      refuseStale(version, promoCode.version);
      await store.disablePromoCode(ctx, id);
      await auditLog.record(ctx, {
        action: 'PROMO_CODE_DISABLED',
        actorId,
        userId,
        subject: { type: 'PROMO_CODE', id },
        requester,
        reason,
        before: { status },
        after: { status: 'DISABLED' },
      });
    }
    return present((await store.findPromoCode(ctx, id))!);
  });
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
    version: row.version,
  };
}
