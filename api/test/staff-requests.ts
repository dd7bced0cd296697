import type { StaffRequest } from '@cellhop/contract/staff/approvals';
import { settleInvoice, type SettleInvoiceBody } from '@cellhop/contract/staff/invoices';
import { createPromoCode, type PromoCode } from '@cellhop/contract/staff/promo-codes';
import { createAdjustment } from '@cellhop/contract/staff/transactions';
import { toDollars } from '@cellhop/contract/units';
import { randomBytes } from 'node:crypto';
import { createUser, type TestUser } from './factories.ts';
import type { TestApp } from './test-app.ts';

export const REASON = 'goodwill after the outage';

const withKey = (key: string | undefined) => (key === undefined ? {} : { headers: { 'idempotency-key': key } });

export async function adjust(
  staff: TestUser,
  { id: userId }: Pick<TestUser, 'id'>,
  amount: number,
  key?: string,
): Promise<StaffRequest> {
  return (await staff.call(createAdjustment, { body: { userId, amount, reason: REASON } }, withKey(key))).data;
}

export async function settle(
  staff: TestUser,
  { id }: { id: string },
  typed: Omit<SettleInvoiceBody, 'reason'> = {},
  key?: string,
): Promise<StaffRequest> {
  return (await staff.call(settleInvoice, { params: { id }, body: { ...typed, reason: REASON } }, withKey(key))).data;
}

/** A promo code with a credit of $1 for at most 10 customers, unless other terms are given. */
export async function offer(
  staff: TestUser,
  { email: referralEmail }: Pick<TestUser, 'email'>,
  terms: object = {},
  key?: string,
): Promise<PromoCode> {
  const code = randomBytes(6).toString('hex');
  const body = { code, referralEmail, trialCredit: 1, trialCreditsMax: 10, budget: 10, reason: REASON, ...terms };
  return (await staff.call(createPromoCode, { body }, withKey(key))).data;
}

export interface RecordedEntry {
  action: string;
  actorId: string;
  subjectType: string;
  subjectId: string | null;
  details: Record<string, unknown>;
}

/** The audit log entries by staff about a user, in order. */
export function entriesAbout(test: TestApp, { id }: Pick<TestUser, 'id'>): Promise<RecordedEntry[]> {
  return test.database.query<RecordedEntry>(
    `select action, actor_id as "actorId", subject_type as "subjectType", subject_id as "subjectId", details
       from audit_log where user_id = $1 and actor_id <> $1 order by id`,
    [id],
  );
}

/** Whether an adjustment of a new customer is applied at once after others of the same day. */
export async function outcomeAfter(
  test: TestApp,
  beforeMicros: readonly bigint[],
  nextMicros: bigint,
): Promise<'applied' | 'approval'> {
  const [user, staff] = [await createUser(test), await createUser(test, { roleName: 'FINANCE' })];
  for (const micros of beforeMicros) if (micros !== 0n) await adjust(staff, user, toDollars(micros));
  return (await adjust(staff, user, toDollars(nextMicros))).status === 'APPLIED' ? 'applied' : 'approval';
}
