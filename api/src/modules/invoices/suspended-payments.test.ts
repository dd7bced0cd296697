/**
 * Payments in USDT while it does not trade at one dollar.
 * @module-tag thorough
 */
import { listNotifications } from '@cellhop/contract/notifications';
import { approveSettlement, listSettlementRequests } from '@cellhop/contract/staff/approvals';
import { getAnyInvoice, listSuspendedPayments, releaseDeposit } from '@cellhop/contract/staff/invoices';
import { type Invoice } from '@cellhop/contract/invoices';
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { balanceOf, createUser, type TestUser } from '../../../test/factories.ts';
import { newInvoice, pay, reload, watch } from '../../../test/sandbox-payments.ts';
import { entriesAbout, REASON } from '../../../test/staff-requests.ts';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { checkInvariants } from '../../db/check-invariants.ts';
import { sandboxRates } from '../../dev/sandbox.ts';
import { resumeDeposit as resumeByOperator } from './operator.service.ts';

const DOLLAR = 1_000_000n;

let testApp: TestApp;
let user: TestUser;
let staff: TestUser;
beforeAll(async () => {
  testApp = await startTestApp();
});
beforeEach(async () => {
  await testApp.reset();
  user = await createUser(testApp);
  staff = await createUser(testApp, { roleName: 'FINANCE' });
});
afterEach(async () => {
  vi.restoreAllMocks();
  testApp.ctx.config.payments.holdAboveMicros = undefined;
  assert.deepEqual(await checkInvariants(testApp.ctx), []);
});
afterAll(() => testApp.stop());

/** @param cents undefined: nobody knows the price */
const depeg = (cents: bigint | undefined) =>
  vi.spyOn(sandboxRates, 'peg').mockResolvedValue({
    isKept: false,
    marketE12: cents === undefined ? undefined : cents * 10n ** 10n,
  });
const repeg = () => vi.spyOn(sandboxRates, 'peg').mockResolvedValue({ isKept: true });
const paidInvoice = async (amount = 25): Promise<Invoice> => {
  const invoice = await newInvoice(user, 'USDT_ERC20', amount);
  await pay(testApp, invoice);
  return invoice;
};
const held = async () => (await staff.call(listSuspendedPayments, { query: {} })).data;
const release = async (rate: 'MARKET' | 'PAR', by = staff, key: string = randomUUID()) => {
  const [deposit] = await held();
  return (
    await by.call(
      releaseDeposit,
      { params: { id: deposit!.id }, body: { rate, reason: REASON } },
      { headers: { 'idempotency-key': key } },
    )
  ).data;
};
const detailOf = async ({ id }: Invoice) => (await staff.call(getAnyInvoice, { params: { id } })).data;

describe('while USDT is worth 80 cents', () => {
  beforeEach(() => depeg(80n));

  test('a payment in it is held and not credited at one dollar; payer and staff see why', async () => {
    const invoice = await paidInvoice();
    expect(await balanceOf(testApp, user)).toBe(0n);
    expect(await reload(user, invoice)).toMatchObject({
      status: 'CONFIRMING',
      payment: { credited: 0, transfers: [{ isCredited: false, waitsForPeg: true }] },
    });
    expect((await detailOf(invoice)).deposits).toMatchObject([{ state: 'FINAL', hold: 'DEPEG' }]);
    expect(await held()).toMatchObject([
      {
        hold: 'DEPEG',
        currency: 'USDT_ERC20',
        amountInCurrency: '25.00',
        invoiceId: invoice.id,
        user: { id: user.id },
        marketRate: '0.80',
        marketValue: 20,
        parValue: 25,
      },
    ]);
    const { data } = await user.call(listNotifications, { query: {} });
    expect(data.map(({ description }) => description)).toEqual([
      expect.stringContaining('USDT does not trade at one dollar now'),
    ]);
    // Polls say nothing twice.
    await watch(testApp, 'USDT_ERC20');
    expect((await user.call(listNotifications, { query: {} })).data).toHaveLength(1);
  });

  test('a payment in another coin is credited', async () => {
    await pay(testApp, await newInvoice(user, 'ETH', 25));
    expect(await balanceOf(testApp, user)).toBe(25n * DOLLAR);
  });

  test('it is credited at one dollar by itself when the peg returns', async () => {
    const invoice = await paidInvoice();
    await watch(testApp, 'USDT_ERC20');
    expect(await balanceOf(testApp, user)).toBe(0n);
    repeg();
    await watch(testApp, 'USDT_ERC20');
    expect(await balanceOf(testApp, user)).toBe(25n * DOLLAR);
    expect(await reload(user, invoice)).toMatchObject({ status: 'PAID' });
    expect(await held()).toEqual([]);
  });

  test('staff credit it at the market price, which creates nothing and needs no second person', async () => {
    const invoice = await paidInvoice(2000);
    expect(await release('MARKET')).toEqual({ rate: '0.80', request: null });
    await watch(testApp, 'USDT_ERC20');
    expect(await balanceOf(testApp, user)).toBe(1600n * DOLLAR);
    expect((await detailOf(invoice)).deposits).toMatchObject([{ state: 'CREDITED', rate: '0.80', credited: 1600 }]);
    // It is the amount in USDT that was asked for.
    expect(await reload(user, invoice)).toMatchObject({ status: 'PAID' });
    expect(await entriesAbout(testApp, user)).toMatchObject([
      { action: 'DEPOSIT_RELEASED', details: { reason: REASON, after: { rate: '0.80' } } },
    ]);
  });

  test('staff credit a small one at one dollar: a request over what that is above the market price', async () => {
    await paidInvoice();
    expect(await release('PAR')).toMatchObject({
      rate: '1.00',
      request: { kind: 'RELEASE', status: 'APPLIED', amount: 5, user: { id: user.id } },
    });
    await watch(testApp, 'USDT_ERC20');
    expect(await balanceOf(testApp, user)).toBe(25n * DOLLAR);
    expect((await staff.call(listSettlementRequests, { query: {} })).data).toMatchObject([{ kind: 'RELEASE' }]);
  });

  test('a large one at one dollar waits for a second person', async () => {
    testApp.ctx.config.approvalMicros = 100n * DOLLAR;
    await paidInvoice(2000);
    const { rate, request } = await release('PAR');
    expect({ rate, request }).toMatchObject({ rate: null, request: { status: 'PENDING', amount: 400 } });
    await watch(testApp, 'USDT_ERC20');
    expect(await balanceOf(testApp, user)).toBe(0n);
    await expect(staff.call(approveSettlement, { params: { id: request!.id }, body: {} })).rejects.toMatchObject({
      code: 'OWN_REQUEST',
    });
    const second = await createUser(testApp, { roleName: 'FINANCE' });
    await second.call(approveSettlement, { params: { id: request!.id }, body: {} });
    await watch(testApp, 'USDT_ERC20');
    expect(await balanceOf(testApp, user)).toBe(2000n * DOLLAR);
  });

  test('an approval comes too late if the peg has returned, and changes nothing', async () => {
    testApp.ctx.config.approvalMicros = 1n * DOLLAR;
    await paidInvoice();
    const { request } = await release('PAR');
    repeg();
    await watch(testApp, 'USDT_ERC20');
    const second = await createUser(testApp, { roleName: 'FINANCE' });
    await expect(second.call(approveSettlement, { params: { id: request!.id }, body: {} })).rejects.toMatchObject({
      code: 'CHANGED_ELSEWHERE',
    });
    expect(await balanceOf(testApp, user)).toBe(25n * DOLLAR);
  });

  test('two members of staff release it once, and a repeated request has its own result', async () => {
    await paidInvoice();
    const key = randomUUID();
    const [deposit] = await held();
    const call = (by: TestUser, rate: 'MARKET' | 'PAR', idempotencyKey: string) =>
      by.call(
        releaseDeposit,
        { params: { id: deposit!.id }, body: { rate, reason: REASON } },
        { headers: { 'idempotency-key': idempotencyKey } },
      );
    const first = await call(staff, 'PAR', key);
    expect((await call(staff, 'PAR', key)).data.request?.id).toBe(first.data.request?.id);
    const second = await createUser(testApp, { roleName: 'FINANCE' });
    await expect(call(second, 'MARKET', randomUUID())).rejects.toMatchObject({ code: 'CHANGED_ELSEWHERE' });
    await watch(testApp, 'USDT_ERC20');
    await watch(testApp, 'USDT_ERC20');
    expect(await balanceOf(testApp, user)).toBe(25n * DOLLAR);
  });

  test('the rate that staff have chosen does not skip the other holds, nor does the operator choose it', async () => {
    testApp.ctx.config.payments.holdAboveMicros = 100n * DOLLAR;
    const invoice = await paidInvoice(200);
    const [deposit] = await held();
    expect(await resumeByOperator(testApp.ctx, deposit!.id)).toBe(false);
    await release('MARKET');
    await watch(testApp, 'USDT_ERC20');
    expect(await balanceOf(testApp, user)).toBe(0n);
    expect((await detailOf(invoice)).deposits).toMatchObject([{ hold: 'LARGE' }]);
    expect(await resumeByOperator(testApp.ctx, deposit!.id)).toBe(true);
    await watch(testApp, 'USDT_ERC20');
    expect(await balanceOf(testApp, user)).toBe(160n * DOLLAR);
  });

  test('what the operator has released is held for its peg, and stays released when the peg returns', async () => {
    testApp.ctx.config.payments.holdAboveMicros = 100n * DOLLAR;
    repeg();
    await paidInvoice(200);
    const [deposit] = await held();
    expect(deposit).toMatchObject({ hold: 'LARGE', marketValue: null, parValue: null });
    depeg(80n);
    await resumeByOperator(testApp.ctx, deposit!.id);
    await watch(testApp, 'USDT_ERC20');
    expect(await held()).toMatchObject([{ hold: 'DEPEG' }]);
    expect(await balanceOf(testApp, user)).toBe(0n);
    repeg();
    await watch(testApp, 'USDT_ERC20');
    expect(await balanceOf(testApp, user)).toBe(200n * DOLLAR);
  });
});

test('above one dollar, the market price is one dollar', async () => {
  depeg(120n);
  await paidInvoice();
  expect(await held()).toMatchObject([{ marketRate: '1.00', marketValue: 25 }]);
  expect(await release('PAR')).toEqual({ rate: '1.00', request: null });
  await watch(testApp, 'USDT_ERC20');
  expect(await balanceOf(testApp, user)).toBe(25n * DOLLAR);
});

test('while nobody knows the price, a payment is held without a message, and all of it is a request', async () => {
  depeg(undefined);
  await paidInvoice();
  expect(await balanceOf(testApp, user)).toBe(0n);
  expect(await held()).toMatchObject([{ hold: 'DEPEG', marketRate: null, marketValue: null, parValue: 25 }]);
  expect((await user.call(listNotifications, { query: {} })).data).toEqual([]);
  await expect(release('MARKET')).rejects.toMatchObject({ code: 'RATE_UNAVAILABLE' });
  expect(await release('PAR')).toMatchObject({ request: { amount: 25 } });
});

test('staff without the permission release nothing, and what is not held cannot be released', async () => {
  depeg(80n);
  await paidInvoice();
  const [deposit] = await held();
  const support = await createUser(testApp, { roleName: 'SUPPORT' });
  await expect(release('MARKET', support)).rejects.toMatchObject({ status: 403 });
  repeg();
  await watch(testApp, 'USDT_ERC20');
  const body = { rate: 'MARKET', reason: REASON } as const;
  await expect(staff.call(releaseDeposit, { params: { id: deposit!.id }, body })).rejects.toMatchObject({
    code: 'CHANGED_ELSEWHERE',
  });
  await expect(staff.call(releaseDeposit, { params: { id: randomUUID() }, body })).rejects.toMatchObject({
    code: 'NOT_FOUND',
  });
});
