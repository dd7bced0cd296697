/** @module-tag thorough */
import { getAnyInvoice } from '@cellhop/contract/staff/invoices';
import { listTransactions } from '@cellhop/contract/transactions';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { balanceOf, createUser, type TestUser } from '../../../test/factories.ts';
import { letExpire, newInvoice, pay, reload, send, watch } from '../../../test/sandbox-payments.ts';
import { entriesAbout, REASON, settle } from '../../../test/staff-requests.ts';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { checkInvariants } from '../../db/check-invariants.ts';

const DOLLAR = 1_000_000n;

let testApp: TestApp;
let staff: TestUser;
beforeAll(async () => {
  testApp = await startTestApp();
});
// Each has a sum of the day of their own.
beforeEach(async () => {
  staff = await createUser(testApp, { roleName: 'FINANCE' });
});
afterAll(async () => {
  expect(await checkInvariants(testApp.ctx)).toEqual([]);
  await testApp.stop();
});

const detailOf = async ({ id }: { id: string }) => (await staff.call(getAnyInvoice, { params: { id } })).data;

describe('a settlement by hand', () => {
  test('credits what is due by default: the invoice is paid and the customer has a top-up', async () => {
    const user = await createUser(testApp);
    const invoice = await newInvoice(user);
    expect(await detailOf(invoice)).toMatchObject({ due: 25, rate: '100000.00', deposits: [] });
    const request = await settle(staff, invoice);
    expect(request).toMatchObject({
      kind: 'SETTLEMENT',
      status: 'APPLIED',
      amount: 25,
      invoice: { id: invoice.id, currency: 'BTC', amountInCurrency: '0.00025000' },
    });
    expect(await reload(user, invoice)).toMatchObject({ status: 'PAID', payment: { credited: 25, isLate: false } });
    expect(await balanceOf(testApp, user)).toBe(25n * DOLLAR);
    const { data } = await user.call(listTransactions, { query: {} });
    expect(data).toMatchObject([{ kind: 'TOP_UP', amount: 25, subject: { kind: 'INVOICE', id: invoice.id } }]);
    expect((await detailOf(invoice)).deposits).toMatchObject([
      { transactionId: null, requestId: request.id, state: 'CREDITED', credited: 25, rate: '100000.00' },
    ]);
  });

  test('adds to what a chain has paid, also after the end of the invoice', async () => {
    const user = await createUser(testApp);
    const invoice = await newInvoice(user);
    await pay(testApp, invoice, '0.0001');
    expect((await detailOf(invoice)).due).toBe(15);
    await settle(staff, invoice);
    expect(await reload(user, invoice)).toMatchObject({ status: 'PAID', payment: { credited: 25 } });
    const expired = await newInvoice(user);
    await letExpire(testApp, expired);
    await settle(staff, expired);
    expect(await reload(user, expired)).toMatchObject({ status: 'PAID', payment: { isLate: false } });
    await expect(settle(staff, invoice)).rejects.toMatchObject({ status: 409, code: 'NOTHING_DUE' });
  });

  test('counts payments that are not final yet as paid', async () => {
    const user = await createUser(testApp);
    const invoice = await newInvoice(user);
    await send(testApp, invoice);
    await watch(testApp, 'BTC');
    await expect(settle(staff, invoice)).rejects.toMatchObject({ code: 'NOTHING_DUE' });
  });

  test('is refused if a payment has arrived since the invoice was shown, and repeats its own result', async () => {
    const user = await createUser(testApp);
    const invoice = await newInvoice(user);
    const { due } = await detailOf(invoice);
    await pay(testApp, invoice, '0.0001');
    const conflict = { status: 409, code: 'CHANGED_ELSEWHERE' };
    await expect(settle(staff, invoice, { amount: due, due })).rejects.toMatchObject(conflict);
    const key = randomUUID();
    const request = await settle(staff, invoice, { amount: 15, due: 15 }, key);
    expect(await settle(staff, invoice, { amount: 15, due: 15 }, key)).toEqual(request);
    expect(await balanceOf(testApp, user)).toBe(25n * DOLLAR);
  });

  test('takes an amount in dollars or in the currency', async () => {
    const user = await createUser(testApp);
    const invoice = await newInvoice(user);
    await settle(staff, invoice, { amount: 5.000001 });
    expect(await balanceOf(testApp, user)).toBe(5_000_001n);
    expect(await reload(user, invoice)).toMatchObject({ status: 'PARTIALLY_PAID' });
    await settle(staff, invoice, { amountInCurrency: '0.0003' });
    expect(await balanceOf(testApp, user)).toBe(35_000_001n);
    expect(await reload(user, invoice)).toMatchObject({ status: 'OVERPAID' });
  });

  test('of a paid invoice says so, also while payments that cover it are not final', async () => {
    const user = await createUser(testApp);
    const [paid, underway] = [await newInvoice(user), await newInvoice(user, 'LTC')];
    await pay(testApp, paid);
    await send(testApp, underway);
    await watch(testApp, 'LTC');
    for (const invoice of [paid, underway])
      await expect(settle(staff, invoice, { amount: 5 })).rejects.toMatchObject({ status: 409, code: 'INVOICE_PAID' });
    expect(await balanceOf(testApp, user)).toBe(25n * DOLLAR);
    expect((await settle(staff, paid, { amount: 5, isPaidAgain: true })).status).toBe('APPLIED');
    expect(await balanceOf(testApp, user)).toBe(30n * DOLLAR);
  });

  test.each([
    { amount: 0 },
    { amount: -1 },
    { amount: 100_001 },
    { amount: 1, amountInCurrency: '1' },
    { amountInCurrency: '0' },
    { amountInCurrency: '0.000000001' },
    { amountInCurrency: '2' },
    { amountInCurrency: 'x' },
  ])('refuses %j', async (typed) => {
    const invoice = await newInvoice(await createUser(testApp));
    await expect(settle(staff, invoice, typed)).rejects.toMatchObject({ status: 400, code: 'VALIDATION' });
  });

  test('is made once per idempotency key', async () => {
    const user = await createUser(testApp);
    const invoice = await newInvoice(user);
    const key = randomUUID();
    const made = await Promise.all(Array.from({ length: 4 }, () => settle(staff, invoice, {}, key)));
    expect(new Set(made.map(({ id }) => id)).size).toBe(1);
    expect(await balanceOf(testApp, user)).toBe(25n * DOLLAR);
    for (const typed of [{ amount: 24 }, { amountInCurrency: '0.0002' }, { amountInCurrency: '0.00025' }, { due: 25 }])
      await expect(settle(staff, invoice, typed, key)).rejects.toMatchObject({ code: 'IDEMPOTENCY_KEY_REUSED' });
  });

  test('pays the referrer their bonus and counts for their level', async () => {
    const referrer = await createUser(testApp);
    const user = await createUser(testApp, { referrerId: referrer.id });
    const first = await newInvoice(user);
    await settle(staff, first);
    const counted = await testApp.database.query(
      `update referral_payments set paid_at = date_trunc('month', now(), 'UTC') - interval '1 second'
        where invoice_id = $1 returning invoice_id`,
      [first.id],
    );
    expect(counted).toHaveLength(1);
    await settle(staff, await newInvoice(user));
    expect(await balanceOf(testApp, referrer)).toBe(2_500_000n);
  });

  test('is in the audit log with the invoice before and after, and why', async () => {
    const user = await createUser(testApp);
    const invoice = await newInvoice(user);
    const { id } = await settle(staff, invoice, { amount: 10 });
    expect(await entriesAbout(testApp, user)).toMatchObject([
      {
        action: 'INVOICE_SETTLED',
        actorId: staff.id,
        subjectType: 'INVOICE',
        subjectId: invoice.id,
        details: {
          requestId: id,
          amount: 10,
          reason: REASON,
          before: { status: 'PENDING', credited: 0 },
          after: { status: 'PARTIALLY_PAID', credited: 10 },
        },
      },
    ]);
  });

  test('of an unknown invoice is not found, and it is forbidden without the permission', async () => {
    await expect(settle(staff, { id: randomUUID() })).rejects.toMatchObject({ status: 404, code: 'NOT_FOUND' });
    await expect(detailOf({ id: randomUUID() })).rejects.toMatchObject({ status: 404, code: 'NOT_FOUND' });
    const support = await createUser(testApp, { roleName: 'SUPPORT' });
    const invoice = await newInvoice(support);
    await expect(settle(support, invoice)).rejects.toMatchObject({ status: 403 });
    await expect(support.call(getAnyInvoice, { params: { id: invoice.id } })).rejects.toMatchObject({ status: 403 });
  });
});
