/** Promo codes: lists for their owners and staff, creation by staff. */
import { AppError } from '@cellhop/contract/errors';
import type { CreatePromoCodeBody, PromoCode } from '@cellhop/contract/promo-codes';
import type { OwnPromoCode } from '@cellhop/contract/referrals';
import { toDollars, toMicros } from '@cellhop/contract/units';
import type { Actor } from '../../actor.ts';
import type { Requester } from '../../requester.ts';
import type { Ctx } from '../../ctx.ts';
import { toTotalPages, type PageQuery } from '../../http/paging.ts';
import * as auditLog from '../audit-log/audit-log.service.ts';
import * as store from './promo-codes.store.ts';

export function listOwn(ctx: Ctx, { userId }: Actor, page: PageQuery) {
  return list(ctx, userId, page, presentOwn);
}

export function listForStaff(ctx: Ctx, { userId, ...page }: PageQuery & { userId?: string | undefined }) {
  return list(ctx, userId ?? null, page, present);
}

async function list<T>(ctx: Ctx, userId: string | null, page: PageQuery, show: (row: store.PromoCodeRow) => T) {
  const [rows, count] = await Promise.all([
    store.listPromoCodes(ctx, userId, page),
    store.countPromoCodes(ctx, userId),
  ]);
  return { data: rows.map(show), totalPages: toTotalPages(count, page) };
}

/** @throws AppError REFERRAL_NOT_FOUND, CODE_EXISTS */
export function createPromoCode(
  ctx: Ctx,
  { userId: actorId }: Actor,
  body: CreatePromoCodeBody,
  requester: Requester,
): Promise<PromoCode> {
  return ctx.tx(async (ctx) => {
    const userId = await store.findOwner(ctx, body.referralEmail.toLowerCase());
    if (userId === undefined) throw new AppError('REFERRAL_NOT_FOUND');
    const code = body.code.toUpperCase();
    const id = await store.insertPromoCode(ctx, {
      code,
      userId,
      trialCreditMicros: toMicros(body.trialCredit),
      creditsMax: body.trialCreditsMax ?? null,
      budgetMicros: body.budget === undefined ? null : toMicros(body.budget),
      expiredAt: body.expiredAt ?? null,
    });
    if (id === undefined) throw new AppError('CODE_EXISTS');
    const details = { code, trialCredit: body.trialCredit };
    await auditLog.record(ctx, { action: 'PROMO_CODE_CREATED', actorId, userId, requester, details });
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
  };
}
