import type { Currency } from '@cellhop/contract/invoices.values';
import { LISTED_ROWS_MAX } from '@cellhop/contract/limits';
import type { RequestKind, RequestStatus } from '@cellhop/contract/staff/lists.values';
import type { Ctx } from '../../ctx.ts';
import { toOffset, type PageQuery } from '../../http/paging.ts';
import { permissionOf } from './request-kinds.ts';

/** What a request is about: the columns of the other kinds are null. */
interface RequestSubject {
  invoiceId: string | null;
  currency: Currency | null;
  units: bigint | null;
  creditedBeforeMicros: bigint | null;
  promoCodeId: string | null;
  connectionId: string | null;
  depositId: string | null;
  /** Of the request that made it (`hashBody`); null for kinds whose other columns show all of it. */
  bodyHash: Buffer | null;
}

/** Hashes of normalized addresses: who may not decide. Null if an older release deleted the account. */
export interface Persons {
  authorPerson: string | null;
  customerPerson: string | null;
  /** Who earns the bonus of the customer's top-ups; null without a referrer. */
  referrerPerson: string | null;
}

export interface RequestRow extends RequestSubject, Persons {
  id: string;
  kind: RequestKind;
  /** LAPSED as soon as its time is over or its author may not ask for it any more, even if the worker has not saved it yet. */
  status: RequestStatus;
  userId: string;
  userEmail: string;
  isUserDeleted: boolean;
  promoCode: string | null;
  /** The exit address of a refunded connection. */
  ip: string | null;
  trialCreditMicros: bigint | null;
  creditsMax: number | null;
  amountMicros: bigint;
  reason: string;
  authorId: string;
  authorEmail: string;
  createdAt: Date;
  lapsesAt: Date | null;
  deciderId: string | null;
  deciderEmail: string | null;
  decidedAt: Date | null;
  decisionReason: string | null;
}

/** The driver returns `numeric` as text. */
type Stored = Omit<RequestRow, 'units'> & { units: string | null };

/** Whether the author of `staff_requests` or of its alias `requests` is active and still has the permission of their request. */
const AUTHOR_MAY = `exists (
  select from readable_users as author join readable_roles as roles on roles.name = author.role_name
   where author.id = author_id and author.status = 'ACTIVE'
     and case when kind in ('SETTLEMENT', 'RELEASE', 'ASSIGNMENT') then '${permissionOf('SETTLEMENT')}' when kind = 'PROMO_CODE' then '${permissionOf('PROMO_CODE')}'
                   else '${permissionOf('ADJUSTMENT')}' end = any(roles.permissions))`;

const SELECT_ROW = `
  select requests.id, requests.kind, requests.user_id as "userId", customer.email as "userEmail",
         customer.status = 'DELETED' as "isUserDeleted", encode(customer.person, 'hex') as "customerPerson",
         encode(author.person, 'hex') as "authorPerson", encode(referrer.person, 'hex') as "referrerPerson",
         case when requests.status = 'PENDING' and (lapses_at <= now() or not ${AUTHOR_MAY}) then 'LAPSED'
              else requests.status end as status,
         invoice_id as "invoiceId", currency, units, credited_before_micros as "creditedBeforeMicros",
         requests.connection_id as "connectionId", requests.deposit_id as "depositId", host(connections.address) as ip, requests.promo_code_id as "promoCodeId", promo_codes.code as "promoCode",
         promo_codes.trial_credit_micros as "trialCreditMicros", promo_codes.credits_max as "creditsMax",
         requests.body_hash as "bodyHash", amount_micros as "amountMicros", reason, author_id as "authorId", author.email as "authorEmail",
         requests.created_at as "createdAt", lapses_at as "lapsesAt", decided_by as "deciderId",
         decider.email as "deciderEmail", decided_at as "decidedAt", decision_reason as "decisionReason"
    from staff_requests as requests
    join readable_users as customer on customer.id = requests.user_id
    join readable_users as author on author.id = author_id
    left join readable_users as referrer on referrer.id = customer.referrer_id
    left join readable_promo_codes as promo_codes on promo_codes.id = requests.promo_code_id
    left join readable_connections as connections on connections.id = requests.connection_id
    left join readable_users as decider on decider.id = decided_by`;

function toRow(stored: Stored): RequestRow {
  return { ...stored, units: stored.units === null ? null : BigInt(stored.units) };
}

export async function findRequest(ctx: Ctx, id: string): Promise<RequestRow | undefined> {
  const [row] = await ctx.db.query<Stored>(`${SELECT_ROW} where requests.id = $1`, [id]);
  return row && toRow(row);
}

/** @returns undefined without such a connection */
export async function findBuyer(ctx: Ctx, connectionId: string): Promise<string | undefined> {
  const [row] = await ctx.db.query<{ userId: string }>(
    'select user_id as "userId" from readable_connections where id = $1',
    [connectionId],
  );
  return row?.userId;
}

export async function findByKey(ctx: Ctx, authorId: string, key: string | null): Promise<RequestRow | undefined> {
  if (key === null) return undefined;
  const [row] = await ctx.db.query<Stored>(`${SELECT_ROW} where author_id = $1 and requests.idempotency_key = $2`, [
    authorId,
    key,
  ]);
  return row && toRow(row);
}

export async function lockRequest(ctx: Ctx, id: string): Promise<void> {
  await ctx.db.query('select from staff_requests where id = $1 for no key update', [id]);
}

export async function lockRequestOfPromoCode(ctx: Ctx, promoCodeId: string): Promise<string | undefined> {
  const [row] = await ctx.db.query<{ id: string }>(
    `select id from staff_requests
      where kind = 'PROMO_CODE' and status = 'PENDING' and promo_code_id = $1 for no key update`,
    [promoCodeId],
  );
  return row?.id;
}

export interface NewRequest extends RequestSubject {
  kind: RequestKind;
  isPending: boolean;
  lapseHours: number;
  userId: string;
  amountMicros: bigint;
  reason: string;
  authorId: string;
  idempotencyKey: string | null;
}

/** @returns undefined if the author has already used the key */
export async function insertRequest(ctx: Ctx, request: NewRequest): Promise<string | undefined> {
  const [row] = await ctx.db.query<{ id: string }>(
    `insert into staff_requests (kind, status, lapses_at, user_id, invoice_id, currency, units, credited_before_micros,
                                 amount_micros, reason, author_id, idempotency_key, promo_code_id, connection_id, body_hash, deposit_id)
     values ($1, case when $2::boolean then 'PENDING' else 'APPLIED' end,
             case when $2::boolean then now() + $3 * interval '1 hour' end, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)
     on conflict (author_id, idempotency_key) where idempotency_key is not null do nothing returning id`,
    [
      request.kind,
      request.isPending,
      request.lapseHours,
      request.userId,
      request.invoiceId,
      request.currency,
      request.units,
      request.creditedBeforeMicros,
      request.amountMicros,
      request.reason,
      request.authorId,
      request.idempotencyKey,
      request.promoCodeId,
      request.connectionId,
      request.bodyHash,
      request.depositId,
    ],
  );
  return row?.id;
}

export async function saveDecision(
  ctx: Ctx,
  decision: { id: string; status: 'APPROVED' | 'REJECTED'; deciderId: string; reason: string | undefined },
): Promise<void> {
  await ctx.db.query(
    'update staff_requests set status = $2, decided_by = $3, decided_at = now(), decision_reason = $4 where id = $1',
    [decision.id, decision.status, decision.deciderId, decision.reason ?? null],
  );
}

/** @returns how many there were, at most `limit` */
export async function saveLapsed(ctx: Ctx, limit: number): Promise<number> {
  const rows = await ctx.db.query(
    `update staff_requests set status = 'LAPSED'
      where id in (select id from staff_requests
                    where status = 'PENDING' and (lapses_at <= now() or not ${AUTHOR_MAY}) order by id limit $1 for no key update)
     returning id`,
    [limit],
  );
  return rows.length;
}

/** Null: any. */
export interface RequestFilter {
  kinds: readonly RequestKind[];
  status: RequestStatus | null;
  userId: string | null;
}

/** The same rule as in SELECT_ROW, in conditions that have an index. */
const STATUS_CONDITIONS: Partial<Record<RequestStatus, string>> = {
  PENDING: `status = 'PENDING' and lapses_at > now() and ${AUTHOR_MAY}`,
  LAPSED: `(status = 'LAPSED' or (status = 'PENDING' and (lapses_at <= now() or not ${AUTHOR_MAY})))`,
};

/** Parameters 1 to 3. */
function toCondition({ kinds, status, userId }: RequestFilter): { condition: string; values: unknown[] } {
  const ofStatus = (status === null ? undefined : STATUS_CONDITIONS[status]) ?? '($3::text is null or status = $3)';
  return {
    condition: `kind = any($1) and ($2::uuid is null or user_id = $2) and ${ofStatus} and ($3::text is null or true)`,
    values: [kinds, userId, status],
  };
}

/** Pending requests first, then the newest. */
export async function listRequests(ctx: Ctx, filter: RequestFilter, page: PageQuery): Promise<RequestRow[]> {
  const { condition, values } = toCondition(filter);
  const rows = await ctx.db.query<Stored>(
    `${SELECT_ROW}
      where requests.id in (
        select id from staff_requests where ${condition} order by (status = 'PENDING') desc, created_at desc, id limit $4 offset $5)
      order by (requests.status = 'PENDING') desc, requests.created_at desc, requests.id`,
    [...values, page.size, toOffset(page)],
    { isPrepared: false },
  );
  return rows.map(toRow);
}

export async function countRequests(ctx: Ctx, filter: RequestFilter, limit: number): Promise<number> {
  const { condition, values } = toCondition(filter);
  const [row] = await ctx.db.query<{ count: number }>(
    `select count(*)::int as count from (select from staff_requests where ${condition} limit $4) as listed`,
    [...values, limit],
    { isPrepared: false },
  );
  return row!.count;
}

/** Those that wait, the oldest first. */
export async function listPending(ctx: Ctx, kinds: readonly RequestKind[], limit: number): Promise<RequestRow[]> {
  const rows = await ctx.db.query<Stored>(
    `${SELECT_ROW}
      where requests.id in (select id from staff_requests where kind = any($1) and ${STATUS_CONDITIONS.PENDING!})
      order by requests.created_at limit $2`,
    [kinds, limit],
  );
  return rows.map(toRow);
}

export async function countPending(ctx: Ctx, kinds: readonly RequestKind[]): Promise<number> {
  const [row] = await ctx.db.query<{ count: number }>(
    `select count(*)::int as count
       from (select from staff_requests where kind = any($1) and ${STATUS_CONDITIONS.PENDING!} limit $2) as listed`,
    [kinds, LISTED_ROWS_MAX],
  );
  return row!.count;
}

export interface AdjustmentNote {
  id: string;
  reason: string;
  authorId: string;
  authorEmail: string;
}

export function listNotes(ctx: Ctx, ids: readonly string[]): Promise<AdjustmentNote[]> {
  return ctx.db.query(
    `select requests.id, reason, author_id as "authorId", author.email as "authorEmail"
       from staff_requests as requests join readable_users as author on author.id = author_id
      where requests.id = any($1::uuid[])`,
    [ids],
  );
}
