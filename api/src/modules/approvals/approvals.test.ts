import {
  approveAdjustment,
  approveSettlement,
  listAdjustmentRequests,
  listSettlementRequests,
  rejectAdjustment,
  rejectSettlement,
} from '@cellhop/contract/staff/approvals';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { balanceOf, createUser, type TestUser } from '../../../test/factories.ts';
import { newInvoice, pay, reload } from '../../../test/sandbox-payments.ts';
import { adjust, entriesAbout, settle } from '../../../test/staff-requests.ts';
import { startSecondApp, startTestApp, type TestApp } from '../../../test/test-app.ts';
import { checkInvariants } from '../../db/check-invariants.ts';
import { lapseRequests } from './approvals.service.ts';
import { requestAdjustment } from './requests.service.ts';

const DOLLAR = 1_000_000n;
const reason = 'checked with the customer';

let testApp: TestApp;
let author: TestUser;
let second: TestUser;
beforeAll(async () => {
  testApp = await startTestApp();
});
// Each has a sum of the day of their own.
beforeEach(async () => {
  author = await newStaff();
  second = await newStaff();
});
afterAll(async () => {
  expect(await checkInvariants(testApp.ctx)).toEqual([]);
  await testApp.stop();
});

const newStaff = () => createUser(testApp, { roleName: 'FINANCE' });
const approve = async (staff: TestUser, { id }: { id: string }) =>
  (await staff.call(approveAdjustment, { params: { id }, body: { reason } })).data;
const reject = async (staff: TestUser, { id }: { id: string }) =>
  (await staff.call(rejectAdjustment, { params: { id }, body: { reason } })).data;
const wait = (request: { id: string }, hours: number) =>
  testApp.database.query(
    `update staff_requests set created_at = created_at - $2 * interval '1 hour', decided_at = decided_at - $2 * interval '1 hour',
                               lapses_at = lapses_at - $2 * interval '1 hour' where id = $1`,
    [request.id, hours],
  );

describe('a change above the limit', () => {
  test('moves no money until a second member of staff approves it', async () => {
    const user = await createUser(testApp);
    expect((await adjust(author, user, 100)).status).toBe('APPLIED');
    const other = await createUser(testApp);
    const request = await adjust(author, other, 100.000001);
    expect(request).toMatchObject({ status: 'PENDING', decidedBy: null });
    expect(Date.parse(request.lapsesAt!) - Date.parse(request.createdAt)).toBe(72 * 3_600_000);
    expect(await balanceOf(testApp, other)).toBe(0n);
    expect(await approve(second, request)).toMatchObject({
      status: 'APPROVED',
      decidedBy: { id: second.id, email: second.email },
      decisionReason: reason,
    });
    expect(await balanceOf(testApp, other)).toBe(100_000_001n);
    expect((await entriesAbout(testApp, other)).map(({ action, actorId }) => [action, actorId])).toEqual([
      ['APPROVAL_REQUESTED', author.id],
      ['BALANCE_ADJUSTED', second.id],
    ]);
  });

  test('is never approved by its author, nor by the customer who gets the money', async () => {
    const request = await adjust(author, second, 200);
    for (const staff of [author, second])
      await expect(approve(staff, request)).rejects.toMatchObject({ status: 409, code: 'OWN_REQUEST' });
    expect(await balanceOf(testApp, second)).toBe(0n);
    await reject(author, request);
  });

  test('is applied exactly once, even if several approvals arrive at the same moment', async () => {
    const user = await createUser(testApp);
    const third = await createUser(testApp, { roleName: 'ADMIN' });
    const request = await adjust(author, user, 300);
    const outcomes = await Promise.allSettled([second, third, second, third].map((staff) => approve(staff, request)));
    // All approvals by the first approver succeed; those by the other one are refused.
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
    expect(await balanceOf(testApp, user)).toBe(300n * DOLLAR);
    expect(await entriesAbout(testApp, user)).toHaveLength(2);
    await expect(reject(author, request)).rejects.toMatchObject({ status: 409, code: 'REQUEST_DECIDED' });
  });

  test('can be rejected, and withdrawn by its author; then it cannot be approved', async () => {
    const user = await createUser(testApp);
    for (const staff of [author, second]) {
      const request = await adjust(author, user, 500);
      expect(await reject(staff, request)).toMatchObject({ status: 'REJECTED', decisionReason: reason });
      expect(await reject(staff, request)).toMatchObject({ status: 'REJECTED' });
      await expect(approve(second, request)).rejects.toMatchObject({ code: 'REQUEST_DECIDED' });
    }
    expect(await balanceOf(testApp, user)).toBe(0n);
    expect((await entriesAbout(testApp, user)).at(-1)).toMatchObject({
      action: 'REQUEST_REJECTED',
      actorId: second.id,
      details: { before: { status: 'PENDING' }, after: { status: 'REJECTED' }, decisionReason: reason },
    });
  });

  test('lapses after 72 hours', async () => {
    const user = await createUser(testApp);
    const [early, late] = [await adjust(author, user, 101), await adjust(author, user, 101)];
    await wait(early, 71.9);
    await wait(late, 72);
    await expect(approve(second, late)).rejects.toMatchObject({ status: 409, code: 'REQUEST_LAPSED' });
    await expect(reject(second, late)).rejects.toMatchObject({ status: 409, code: 'REQUEST_LAPSED' });
    await lapseRequests(testApp.ctx);
    await expect(approve(second, late)).rejects.toMatchObject({ code: 'REQUEST_LAPSED' });
    await approve(second, early);
    expect(await balanceOf(testApp, user)).toBe(101n * DOLLAR);
  });

  test('stays a request if the balance has become too small', async () => {
    const user = await createUser(testApp, { balanceMicros: 150n * DOLLAR });
    const request = await adjust(author, user, -150);
    await adjust(author, user, -50);
    await expect(approve(second, request)).rejects.toMatchObject({ status: 402, code: 'SMALL_BALANCE' });
    await adjust(author, user, 50);
    expect((await approve(second, request)).status).toBe('APPROVED');
    expect(await balanceOf(testApp, user)).toBe(0n);
  });
});

describe('the limit', () => {
  test('counts all changes of 24 hours per customer: in both directions, applied and approved', async () => {
    const user = await createUser(testApp);
    const first = await adjust(author, user, 60);
    expect((await adjust(author, user, -41)).status).toBe('PENDING');
    expect((await adjust(second, user, -40)).status).toBe('APPLIED');
    const large = await adjust(author, user, 0.01);
    expect(large.status).toBe('PENDING');
    await wait(first, 25);
    expect((await adjust(author, user, 60)).status).toBe('APPLIED');
    await approve(second, large);
    expect((await adjust(author, user, 0.01)).status).toBe('PENDING');
    expect((await adjust(await newStaff(), await createUser(testApp), 100)).status).toBe('APPLIED');
  });

  test('is not exceeded by concurrent requests', async () => {
    const user = await createUser(testApp);
    const made = await Promise.all(Array.from({ length: 5 }, () => adjust(author, user, 40)));
    expect(made.filter(({ status }) => status === 'APPLIED')).toHaveLength(2);
    expect(await balanceOf(testApp, user)).toBe(80n * DOLLAR);
  });

  test('is zero for changes that staff request for themselves', async () => {
    expect((await adjust(author, author, 1)).status).toBe('PENDING');
  });

  test('does not exist if the setting is empty', async () => {
    const open = await startSecondApp(testApp, { approvalMicros: undefined });
    const user = await createUser(testApp);
    const staff = { actor: { userId: author.id }, requester: { ip: '::1', userAgent: undefined, requestId: 'x' } };
    const body = { userId: user.id, amount: 50_000, reason };
    expect((await requestAdjustment(open.ctx, staff, body, null)).status).toBe('APPLIED');
    await open.stop();
  });
});

describe('a settlement above the limit', () => {
  test('waits, and is credited when it is approved', async () => {
    const user = await createUser(testApp);
    const invoice = await newInvoice(user, 'BTC', 250);
    const request = await settle(author, invoice);
    expect(request.status).toBe('PENDING');
    expect(await reload(user, invoice)).toMatchObject({ status: 'PENDING', payment: null });
    const id = request.id;
    await expect(approve(second, request)).rejects.toMatchObject({ status: 404 });
    await second.call(approveSettlement, { params: { id }, body: {} });
    expect(await reload(user, invoice)).toMatchObject({ status: 'PAID' });
    expect(await balanceOf(testApp, user)).toBe(250n * DOLLAR);
    expect((await adjust(author, user, 1)).status).toBe('PENDING');
  });

  test('is refused if the invoice was paid in the meantime, so that it is not credited twice', async () => {
    const user = await createUser(testApp);
    const invoice = await newInvoice(user, 'BTC', 250);
    const { id } = await settle(author, invoice);
    await pay(testApp, invoice);
    await expect(second.call(approveSettlement, { params: { id }, body: {} })).rejects.toMatchObject({
      status: 409,
      code: 'CHANGED_ELSEWHERE',
    });
    expect(await balanceOf(testApp, user)).toBe(250n * DOLLAR);
    const rejected = await second.call(rejectSettlement, { params: { id }, body: { reason } });
    expect(rejected.data.status).toBe('REJECTED');
  });
});

describe('the list', () => {
  test('shows pending requests first, with their number, by kind and permission', async () => {
    const user = await createUser(testApp);
    const settled = await settle(author, await newInvoice(user, 'BTC', 120));
    const pending = await adjust(author, user, 150);
    const applied = await adjust(author, user, 50);
    const adjustments = await second.call(listAdjustmentRequests, { query: { userId: user.id } });
    expect(adjustments.data.map(({ id }) => id)).toEqual([pending.id, applied.id]);
    const waiting = await second.call(listAdjustmentRequests, { query: { status: 'PENDING', size: 100 } });
    expect(waiting.pendingCount).toBe(waiting.data.length);
    const settlements = await second.call(listSettlementRequests, { query: { userId: user.id } });
    expect(settlements.data.map(({ id }) => id)).toEqual([settled.id]);
    const support = await createUser(testApp, { roleName: 'SUPPORT' });
    for (const endpoint of [listAdjustmentRequests, listSettlementRequests])
      await expect(support.call(endpoint, { query: {} })).rejects.toMatchObject({ status: 403 });
    for (const endpoint of [approveAdjustment, rejectAdjustment, approveSettlement, rejectSettlement])
      await expect(support.call(endpoint, { params: { id: pending.id }, body: { reason } })).rejects.toMatchObject({
        status: 403,
      });
  });

  test('does not find a request that does not exist', async () => {
    await expect(approve(second, { id: randomUUID() })).rejects.toMatchObject({ status: 404, code: 'NOT_FOUND' });
  });
});
