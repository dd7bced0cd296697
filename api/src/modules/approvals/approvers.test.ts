/** @module-tag thorough */
import { listNotifications } from '@cellhop/contract/notifications';
import {
  approveAdjustment,
  readAdjustmentAllowance,
  readPromoCodeAllowance,
  readSettlementAllowance,
} from '@cellhop/contract/staff/approvals';
import { getAttention } from '@cellhop/contract/staff/dashboard';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createUser, type TestUser } from '../../../test/factories.ts';
import { newInvoice } from '../../../test/sandbox-payments.ts';
import { adjust, offer, settle } from '../../../test/staff-requests.ts';
import { startSecondApp, startTestApp, type TestApp } from '../../../test/test-app.ts';
import { readAllowance } from './approvers.service.ts';

let testApp: TestApp;
let author: TestUser;
let second: TestUser;
let user: TestUser;
beforeAll(async () => {
  testApp = await startTestApp();
});
beforeEach(async () => {
  await testApp.reset();
  const balanceMicros = 100_000_000n;
  [author, second, user] = [await newStaff(), await newStaff(), await createUser(testApp, { balanceMicros })];
});
afterAll(() => testApp.stop());

const newStaff = (email?: string, roleName = 'FINANCE') =>
  createUser(testApp, { roleName, ...(email !== undefined && { email }) });
const allowanceOf = async (staff: TestUser, userId?: string) =>
  (await staff.call(readAdjustmentAllowance, { query: { userId } })).data;
const countOf = async (staff: TestUser) => (await staff.call(getAttention, {})).data.approvals.waiting;
const named = ({ id, email }: TestUser) => ({ id, email });

test('the allowance is what is left of the limit for the author and the customer', async () => {
  expect(await allowanceOf(author, user.id)).toEqual({ withoutApproval: 100, approvers: [named(second)] });
  await adjust(author, await createUser(testApp), 30);
  expect(await allowanceOf(author, user.id)).toMatchObject({ withoutApproval: 70 });
  await adjust(second, user, -45.5);
  expect(await allowanceOf(author, user.id)).toMatchObject({ withoutApproval: 54.5 });
  expect(await allowanceOf(author)).toMatchObject({ withoutApproval: 70 });
  expect((await adjust(author, user, 54.5)).status).toBe('APPLIED');
  expect(await allowanceOf(author, user.id)).toMatchObject({ withoutApproval: 0 });
});

test('nothing is allowed for a person themselves, nor a settlement whose bonus they earn', async () => {
  const name = randomUUID();
  const [staff, alias] = [
    await newStaff(`${name}@example.com`),
    await createUser(testApp, { email: `${name}+a@example.com` }),
  ];
  expect(await allowanceOf(staff, alias.id)).toMatchObject({ withoutApproval: 0 });
  const customer = await createUser(testApp, { referrerId: alias.id });
  const { data } = await staff.call(readSettlementAllowance, { query: { userId: customer.id } });
  expect(data).toMatchObject({ withoutApproval: 0 });
  expect(await allowanceOf(staff, customer.id)).toMatchObject({ withoutApproval: 100 });
});

test('those who can approve are other persons with the permission, who are active', async () => {
  const name = randomUUID();
  const staff = await newStaff(`${name}@example.com`);
  await newStaff(`${name}+alias@example.com`);
  const blocked = await newStaff();
  await testApp.database.query("update users set status = 'BLOCKED' where id = $1", [blocked.id]);
  await newStaff(undefined, 'SUPPORT');
  const found = (await allowanceOf(staff, second.id)).approvers;
  expect(found).toEqual([named(author)]);
  const { data } = await (await newStaff(undefined, 'ADMIN')).call(readPromoCodeAllowance, { query: {} });
  expect(data).toEqual({ withoutApproval: 100, approvers: [] });
});

test('without a limit any amount is allowed', async () => {
  const open = await startSecondApp(testApp, { approvalMicros: undefined });
  const allowance = await readAllowance(open.ctx, { userId: author.id }, 'ADJUSTMENT', user.id);
  expect(allowance).toMatchObject({ withoutApproval: null });
  await open.stop();
});

test('those who can approve a request are notified and see its number until it is decided', async () => {
  const support = await newStaff(undefined, 'SUPPORT');
  const request = await adjust(author, user, 500);
  for (const [staff, count] of [
    [second, 1],
    [author, 0],
    [support, 0],
  ] as const) {
    const { data } = await staff.call(listNotifications, { query: {} });
    expect(data).toHaveLength(count);
    expect(await countOf(staff)).toBe(count);
  }
  const [notification] = (await second.call(listNotifications, { query: {} })).data;
  expect(notification!.description).toBe(
    'A request for <b>$500.00</b> is waiting for <a href="/admin/approvals?kind=ADJUSTMENT">your approval</a>.',
  );
  await second.call(approveAdjustment, { params: { id: request.id }, body: {} });
  expect(await countOf(second)).toBe(0);
});

test('the number contains what the role may decide, of all kinds', async () => {
  const [admin, promoter] = [await newStaff(undefined, 'ADMIN'), await newStaff(undefined, 'ADMIN')];
  await adjust(author, user, 500);
  await settle(author, await newInvoice(user, 'BTC', 250));
  await offer(promoter, user, { trialCredit: 100, trialCreditsMax: 10, budget: 1000 });
  expect([await countOf(admin), await countOf(promoter), await countOf(second), await countOf(author)]).toEqual([
    3, 2, 2, 0,
  ]);
});
