import type { OwnPromoCode } from '@cellhop/contract/referrals';
import type { Ctx } from '../../ctx.ts';
import { toOffset, type PageQuery } from '../../http/paging.ts';

export interface PromoCodeRow extends Omit<OwnPromoCode, 'createdAt' | 'expiredAt'> {
  createdAt: Date;
  expiredAt: Date | null;
  userId: string;
  userEmail: string;
  trialCreditMicros: bigint;
  trialCreditsMax: number | null;
  budgetMicros: bigint | null;
  trialCreditsCount: number;
  creditedMicros: bigint;
  heldBecause: 'OWNER' | 'APPROVAL' | null;
  version: number;
  /** Null: before 0.3.0. */
  bodyHash: Buffer | null;
}

/** A code is expired after its expiry time, even if its status was not updated. */
const STORED_STATUS = `case when promo_codes.status = 'ACTIVE' and expired_at <= now() then 'EXPIRED' else promo_codes.status end`;

const IS_OWNER_ACTIVE = `exists (select from readable_users as owner where owner.id = promo_codes.user_id and owner.status = 'ACTIVE')`;
/** Nobody can sign up with it: its owner, whom it would make a referrer, is blocked or deleted. */
const IS_WITHOUT_OWNER = `(promo_codes.status = 'ACTIVE' and (expired_at is null or expired_at > now()) and not ${IS_OWNER_ACTIVE})`;
/** Its request alone stores that it waits. Meanwhile it is DISABLED, so that nobody can sign up with it; whoever disables it rejects the request. */
const AWAITS_APPROVAL = `(promo_codes.status = 'DISABLED' and exists (
  select from readable_staff_requests as requests
   where requests.promo_code_id = promo_codes.id and requests.status = 'PENDING' and requests.lapses_at > now()))`;

/** The status of a code whose owner is blocked or deleted is DISABLED. */
const STATUS = `case when ${IS_WITHOUT_OWNER} then 'DISABLED' else ${STORED_STATUS} end`;

const SELECT_ROW = `
  select promo_codes.id, code, ${STATUS} as status,
         registered_count as "registeredUsersCount",
         promo_codes.created_at as "createdAt", expired_at as "expiredAt", owner.id as "userId", owner.email as "userEmail",
         trial_credit_micros as "trialCreditMicros", credits_max as "trialCreditsMax", budget_micros as "budgetMicros",
         credit_count as "trialCreditsCount", credited_micros as "creditedMicros", promo_codes.version, body_hash as "bodyHash",
         case when ${IS_WITHOUT_OWNER} then 'OWNER' when ${AWAITS_APPROVAL} then 'APPROVAL' end as "heldBecause"
    from promo_codes join readable_users as owner on owner.id = promo_codes.user_id`;

/** Planned for its filters, so that it uses their indexes. */
const planned = { isPrepared: false };

export interface PromoCodeFilter {
  /** The owner. */
  userId?: string | undefined;
  status?: OwnPromoCode['status'] | undefined;
  /** The first characters, upper case. */
  code?: string | undefined;
}

/** The same rule as STATUS. */
const STATUS_CONDITIONS: Record<OwnPromoCode['status'], string> = {
  ACTIVE: `status = 'ACTIVE' and (expired_at is null or expired_at > now()) and ${IS_OWNER_ACTIVE}`,
  EXPIRED: `(status = 'EXPIRED' or (status = 'ACTIVE' and expired_at <= now()))`,
  DISABLED: `(status = 'DISABLED' or ${IS_WITHOUT_OWNER})`,
};

/** Undefined filters match all. Parameters 1 and 2. */
function toCondition({ userId, status, code }: PromoCodeFilter): { condition: string; values: unknown[] } {
  return {
    condition: `($1::uuid is null or user_id = $1) and ($2::text is null or code like $2)
      and ${status === undefined ? 'true' : STATUS_CONDITIONS[status]}`,
    values: [userId ?? null, code === undefined ? null : `${code.replaceAll(/[\\%_]/g, '\\$&')}%`],
  };
}

export function listPromoCodes(ctx: Ctx, filter: PromoCodeFilter, page: PageQuery): Promise<PromoCodeRow[]> {
  const { condition, values } = toCondition(filter);
  return ctx.db.query(
    `${SELECT_ROW}
      where promo_codes.id in (select id from promo_codes where ${condition} order by created_at desc, id limit $3 offset $4)
      order by promo_codes.created_at desc, promo_codes.id`,
    [...values, page.size, toOffset(page)],
    planned,
  );
}

export async function countPromoCodes(ctx: Ctx, filter: PromoCodeFilter, limit: number): Promise<number> {
  const { condition, values } = toCondition(filter);
  const [row] = await ctx.db.query<{ count: number }>(
    `select count(*)::int as count from (select from promo_codes where ${condition} limit $3) as listed`,
    [...values, limit],
    planned,
  );
  return row!.count;
}

export async function findPromoCode(ctx: Ctx, id: string): Promise<PromoCodeRow | undefined> {
  const [row] = await ctx.db.query<PromoCodeRow>(`${SELECT_ROW} where promo_codes.id = $1`, [id]);
  return row;
}

export async function findByKey(ctx: Ctx, idempotencyKey: string): Promise<PromoCodeRow | undefined> {
  const [row] = await ctx.db.query<PromoCodeRow>(`${SELECT_ROW} where idempotency_key = $1`, [idempotencyKey]);
  return row;
}

/** Locks the code until the end of the transaction. */
export async function lockPromoCode(
  ctx: Ctx,
  id: string,
): Promise<Pick<PromoCodeRow, 'userId' | 'status' | 'version'>> {
  const [row] = await ctx.db.query<Pick<PromoCodeRow, 'userId' | 'status' | 'version'>>(
    `select user_id as "userId", ${STORED_STATUS} as status, version from promo_codes where id = $1 for no key update`,
    [id],
  );
  return row!;
}

export async function disablePromoCode(ctx: Ctx, id: string): Promise<void> {
  await ctx.db.query(`update promo_codes set status = 'DISABLED', version = version + 1 where id = $1`, [id]);
}

/** It was stored as disabled until its approval. */
export async function activatePromoCode(ctx: Ctx, id: string): Promise<void> {
  await ctx.db.query(`update promo_codes set status = 'ACTIVE', version = version + 1 where id = $1`, [id]);
}

/** @param email lower case */
export async function findOwner(ctx: Ctx, email: string): Promise<string | undefined> {
  const [row] = await ctx.db.query<{ id: string }>(
    `select id from readable_users where email = $1 and status <> 'DELETED'`,
    [email],
  );
  return row?.id;
}

export interface NewPromoCode {
  /** Upper case. */
  code: string;
  userId: string;
  trialCreditMicros: bigint;
  creditsMax: number | null;
  budgetMicros: bigint | null;
  expiredAt: string | null;
  idempotencyKey: string | null;
  isHeld: boolean;
  /** Of the request, which has a reason too. */
  bodyHash: Buffer;
}

/** @returns undefined if the code is taken, as a promo code or as a user's own referral code, or the key was used */
export async function insertPromoCode(ctx: Ctx, code: NewPromoCode): Promise<string | undefined> {
  const [row] = await ctx.db.query<{ id: string }>(
    `insert into promo_codes (code, user_id, trial_credit_micros, credits_max, budget_micros, expired_at, idempotency_key, status, body_hash)
     select $1, $2, $3, $4, $5, $6, $7, case when $8::boolean then 'DISABLED' else 'ACTIVE' end, $9 where not exists (select from readable_users where referral_code = $1)
     on conflict do nothing returning id`,
    [
      code.code,
      code.userId,
      code.trialCreditMicros,
      code.creditsMax,
      code.budgetMicros,
      code.expiredAt,
      code.idempotencyKey,
      code.isHeld,
      code.bodyHash,
    ],
  );
  return row?.id;
}
