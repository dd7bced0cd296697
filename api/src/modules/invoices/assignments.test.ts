/**
 * Payments to addresses whose customers a restore of the database has lost.
 * @module-tag thorough
 */
import { approveSettlement, listSettlementRequests, rejectSettlement } from '@cellhop/contract/staff/approvals';
import { assignDeposit, listUnassignedPayments } from '@cellhop/contract/staff/invoices';
import type { Currency } from '@cellhop/contract/invoices.values';
import { randomUUID } from 'node:crypto';
import assert from 'node:assert/strict';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { balanceOf, createUser, type TestUser } from '../../../test/factories.ts';
import { confirm, newInvoice, send, watch } from '../../../test/sandbox-payments.ts';
import { entriesAbout, REASON } from '../../../test/staff-requests.ts';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { checkInvariants } from '../../db/check-invariants.ts';
import { sandboxRates } from '../../dev/sandbox.ts';

const DOLLAR = 1_000_000n;

let testApp: TestApp;
let alice: TestUser;
let bob: TestUser;
let staff: TestUser;
beforeAll(async () => {
  testApp = await startTestApp();
});
beforeEach(async () => {
  await testApp.reset();
  [alice, bob] = [await createUser(testApp), await createUser(testApp)];
  staff = await createUser(testApp, { roleName: 'FINANCE' });
});
afterEach(async () => {
  vi.restoreAllMocks();
  assert.deepEqual(await checkInvariants(testApp.ctx), []);
});
afterAll(() => testApp.stop());

/** A final payment of a customer whom the database has forgotten. */
async function lostPayment(currency: Currency = 'BTC', amount = 25) {
  const invoice = await newInvoice(alice, currency, amount);
  await send(testApp, invoice);
  await testApp.database.query('delete from invoices');
  await testApp.database.query('update deposit_addresses set user_id = null, is_reused = false');
  await confirm(testApp, currency);
  const [payment] = await unassigned();
  return payment!;
}
const unassigned = async () => (await staff.call(listUnassignedPayments, { query: {} })).data;
const assign = async ({ id }: { id: string }, { email } = alice, by = staff, key: string = randomUUID()) =>
  (
    await by.call(
      assignDeposit,
      { params: { id }, body: { email, reason: REASON } },
      { headers: { 'idempotency-key': key } },
    )
  ).data;
const approve = (by: TestUser, { id }: { id: string }) => by.call(approveSettlement, { params: { id }, body: {} });
const changedElsewhere = { status: 409, code: 'CHANGED_ELSEWHERE' };

test('staff give a small one to a customer, who is credited once like for any payment', async () => {
  const payment = await lostPayment();
  expect(payment).toMatchObject({ state: 'FINAL', userId: null, value: 25 });
  const key = randomUUID();
  const request = await assign(payment, alice, staff, key);
  expect(request).toMatchObject({ kind: 'ASSIGNMENT', status: 'APPLIED', amount: 25, user: { id: alice.id } });
  expect((await assign(payment, alice, staff, key)).id).toBe(request.id);
  await expect(assign(payment, bob, staff, key)).rejects.toMatchObject({ code: 'IDEMPOTENCY_KEY_REUSED' });
  await expect(assign(payment, bob)).rejects.toMatchObject(changedElsewhere);
  expect(await unassigned()).toEqual([]);
  await watch(testApp, 'BTC');
  await watch(testApp, 'BTC');
  expect(await balanceOf(testApp, alice)).toBe(25n * DOLLAR);
  await expect(assign(payment, bob)).rejects.toMatchObject(changedElsewhere);
  expect(await balanceOf(testApp, bob)).toBe(0n);
  expect(await entriesAbout(testApp, alice)).toMatchObject([
    { action: 'DEPOSIT_ASSIGNED', details: { reason: REASON, deposit: payment.id, amount: 25 } },
  ]);
});

test('a large one waits for a second person, and of two requests for it one is applied', async () => {
  testApp.ctx.config.approvalMicros = 100n * DOLLAR;
  const second = await createUser(testApp, { roleName: 'FINANCE' });
  const payment = await lostPayment('BTC', 2000);
  const [toAlice, toBob] = [await assign(payment), await assign(payment, bob)];
  expect([toAlice.status, toBob.status]).toEqual(['PENDING', 'PENDING']);
  await watch(testApp, 'BTC');
  expect(await balanceOf(testApp, alice)).toBe(0n);
  await expect(approve(staff, toAlice)).rejects.toMatchObject({ code: 'OWN_REQUEST' });
  await approve(second, toAlice);
  await expect(approve(second, toBob)).rejects.toMatchObject(changedElsewhere);
  await second.call(rejectSettlement, { params: { id: toBob.id }, body: { reason: REASON } });
  await watch(testApp, 'BTC');
  expect([await balanceOf(testApp, alice), await balanceOf(testApp, bob)]).toEqual([2000n * DOLLAR, 0n]);
  const { data } = await staff.call(listSettlementRequests, { query: {} });
  expect(data.map(({ kind, status }) => [kind, status])).toEqual([
    ['ASSIGNMENT', 'REJECTED'],
    ['ASSIGNMENT', 'APPROVED'],
  ]);
});

test('who gives one to themselves needs a second person, however small it is', async () => {
  testApp.ctx.config.approvalMicros = 100n * DOLLAR;
  expect(await assign(await lostPayment(), staff)).toMatchObject({ status: 'PENDING' });
});

test('a stablecoin without its peg is held for the customer who got it', async () => {
  vi.spyOn(sandboxRates, 'peg').mockResolvedValue({ isKept: false, marketE12: 80n * 10n ** 10n });
  await assign(await lostPayment('USDT_ERC20'));
  await watch(testApp, 'USDT_ERC20');
  expect(await balanceOf(testApp, alice)).toBe(0n);
  vi.spyOn(sandboxRates, 'peg').mockResolvedValue({ isKept: true });
  await watch(testApp, 'USDT_ERC20');
  expect(await balanceOf(testApp, alice)).toBe(25n * DOLLAR);
});

test('is refused for unknown customers, payments with a customer, and without the permission', async () => {
  const payment = await lostPayment();
  await expect(assign(payment, { email: 'nobody@example.com' } as TestUser)).rejects.toMatchObject({ status: 404 });
  await expect(assign({ id: randomUUID() })).rejects.toMatchObject({ status: 404 });
  for (const other of [alice, await createUser(testApp, { roleName: 'SUPPORT' })])
    await expect(assign(payment, alice, other)).rejects.toMatchObject({ status: 403 });
  await testApp.database.query('update deposit_addresses set user_id = $1', [bob.id]);
  await expect(assign(payment)).rejects.toMatchObject({ status: 404 });
});

test('an assignment without a request is found by the checks of the books', async () => {
  const payment = await lostPayment();
  await testApp.database.query('update deposits set assigned_to = $1', [bob.id]);
  expect((await checkInvariants(testApp.ctx)).join()).toContain(
    `deposit ${payment.id} is given to ${bob.id} by nobody`,
  );
  await testApp.database.query('update deposits set assigned_to = null');
});
