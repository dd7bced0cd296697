import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { balanceOf, createUser, type TestUser } from '../../../test/factories.ts';
import { finalize, letExpire, newInvoice, pay, send, watch } from '../../../test/sandbox-payments.ts';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { checkInvariants } from '../../db/check-invariants.ts';
import { currentLevel, recordPayment } from './levels.service.ts';

const DOLLAR = 1_000_000n;
const LAST_MONTH = `date_trunc('month', now(), 'UTC') - interval '1 second'`;
const THIS_MONTH = `date_trunc('month', now(), 'UTC')`;
const START_OF_LAST_MONTH = `(date_trunc('month', now() at time zone 'UTC') - interval '1 month') at time zone 'UTC'`;
const BEFORE_LAST_MONTH = `${START_OF_LAST_MONTH} - interval '1 second'`;

let testApp: TestApp;
beforeAll(async () => {
  testApp = await startTestApp();
});
afterAll(async () => {
  expect(await checkInvariants(testApp.ctx)).toEqual([]);
  await testApp.stop();
});

/** Paid invoices of a new referral at a given time. */
async function addPayments(referrer: TestUser, count: number, time: string): Promise<void> {
  const payer = await createUser(testApp, { referrerId: referrer.id });
  for (let made = 0; made < count; made++) {
    const { id } = await newInvoice(payer);
    await testApp.database.query(
      `insert into referral_payments (invoice_id, referrer_id, paid_at) values ($1, $2, ${time})`,
      [id, referrer.id],
    );
  }
}

const countPayments = async (referrer: TestUser) => {
  const [row] = await testApp.database.query<{ count: number }>(
    'select count(*)::int as count from referral_payments where referrer_id = $1',
    [referrer.id],
  );
  return row!.count;
};

/** A second account with an address of the same mailbox. */
async function secondAccountOf(referrer: TestUser): Promise<TestUser> {
  const second = await createUser(testApp, { referrerId: referrer.id });
  await testApp.database.query('update users set email = $2 where id = $1', [
    second.id,
    referrer.email.replace('@', '+second@'),
  ]);
  return second;
}

describe('the level', () => {
  test.each([
    [0, 'BASIC'],
    [1, 'SILVER'],
    [10, 'GOLD'],
    [22, 'PARTNER'],
  ] as const)('after %i payments of last month is %s', async (count, level) => {
    const referrer = await createUser(testApp);
    await addPayments(referrer, count, LAST_MONTH);
    expect(await currentLevel(testApp.ctx, referrer.id)).toBe(level);
  });

  test('counts only the payments of last month', async () => {
    const referrer = await createUser(testApp);
    await addPayments(referrer, 3, THIS_MONTH);
    await addPayments(referrer, 3, BEFORE_LAST_MONTH);
    expect(await currentLevel(testApp.ctx, referrer.id)).toBe('BASIC');
    await addPayments(referrer, 1, START_OF_LAST_MONTH);
    expect(await currentLevel(testApp.ctx, referrer.id)).toBe('SILVER');
  });

  test('counts an invoice once, however often it is recorded', async () => {
    const referrer = await createUser(testApp);
    const payer = await createUser(testApp, { referrerId: referrer.id });
    const { id } = await newInvoice(payer);
    await recordPayment(testApp.ctx, id, payer.id);
    await recordPayment(testApp.ctx, id, payer.id);
    expect(await countPayments(referrer)).toBe(1);
  });

  test('counts an invoice once, however many payments it has', async () => {
    const referrer = await createUser(testApp);
    const payer = await createUser(testApp, { referrerId: referrer.id });
    const invoice = await newInvoice(payer);
    await pay(testApp, invoice, '0.0001');
    expect(await countPayments(referrer)).toBe(0);
    await pay(testApp, invoice);
    expect(await countPayments(referrer)).toBe(1);
    await pay(testApp, invoice, '0.0001');
    expect(await countPayments(referrer)).toBe(1);
  });
});

describe('the bonus', () => {
  test('is 10 % of each credited top-up for a SILVER referrer, even of a short one', async () => {
    const referrer = await createUser(testApp);
    await addPayments(referrer, 1, LAST_MONTH);
    const payer = await createUser(testApp, { referrerId: referrer.id });
    const invoice = await newInvoice(payer);
    await pay(testApp, invoice, '0.0001');
    expect(await balanceOf(testApp, referrer)).toBe(1n * DOLLAR);
    await pay(testApp, invoice);
    expect(await balanceOf(testApp, referrer)).toBe(2_500_000n);
    expect(await balanceOf(testApp, payer)).toBe(25n * DOLLAR);
  });

  test('is granted for late payments and overpayments too, and each invoice counts', async () => {
    const referrer = await createUser(testApp);
    await addPayments(referrer, 6, LAST_MONTH);
    const payer = await createUser(testApp, { referrerId: referrer.id });
    const late = await newInvoice(payer, 'USDT_TRC20');
    await letExpire(testApp, late);
    await pay(testApp, late);
    expect(await balanceOf(testApp, referrer)).toBe(3_750_000n);
    await pay(testApp, await newInvoice(payer, 'USDT_TRC20'), '100');
    expect(await balanceOf(testApp, referrer)).toBe(18_750_000n);
    expect(await countPayments(referrer)).toBe(6 + 2);
  });

  test('is granted once for each of many concurrent top-ups', { tags: ['thorough'] }, async () => {
    const referrer = await createUser(testApp);
    await addPayments(referrer, 22, LAST_MONTH);
    const payers = await Promise.all(Array.from({ length: 8 }, () => createUser(testApp, { referrerId: referrer.id })));
    for (const payer of payers) await send(testApp, await newInvoice(payer, 'USDT_TRC20'));
    await watch(testApp, 'USDT_TRC20');
    await finalize(testApp);
    await Promise.all(Array.from({ length: 8 }, () => watch(testApp, 'USDT_TRC20')));
    expect(await balanceOf(testApp, referrer)).toBe(8n * 6_250_000n);
    expect(await countPayments(referrer)).toBe(22 + 8);
  });

  test('is zero for a BASIC referrer: there is no transfer', async () => {
    const referrer = await createUser(testApp);
    const payer = await createUser(testApp, { referrerId: referrer.id });
    await pay(testApp, await newInvoice(payer));
    expect(await balanceOf(testApp, referrer)).toBe(0n);
    const transfers = await testApp.database.query('select from transfers where credit_account_id = $1', [
      referrer.accountId,
    ]);
    expect(transfers).toEqual([]);
  });

  test('is rounded down to a micro-dollar, and omitted if it is zero', async () => {
    const referrer = await createUser(testApp);
    await addPayments(referrer, 1, LAST_MONTH);
    const payer = await createUser(testApp, { referrerId: referrer.id });
    const invoice = await newInvoice(payer, 'USDT_TRC20');
    await pay(testApp, invoice, '0.000019');
    expect(await balanceOf(testApp, referrer)).toBe(1n);
    await pay(testApp, invoice, '0.000009');
    expect(await balanceOf(testApp, referrer)).toBe(1n);
    expect(await balanceOf(testApp, payer)).toBe(28n);
  });

  test('is not granted without a referrer or to a deleted one', async () => {
    const referrer = await createUser(testApp);
    await addPayments(referrer, 1, LAST_MONTH);
    await testApp.database.query(`update users set status = 'DELETED' where id = $1`, [referrer.id]);
    await pay(testApp, await newInvoice(await createUser(testApp, { referrerId: referrer.id })));
    await pay(testApp, await newInvoice(await createUser(testApp)));
    expect(await balanceOf(testApp, referrer)).toBe(0n);
  });

  test("is not granted for top-ups of the referrer's second account, which do not count for the level either", async () => {
    const referrer = await createUser(testApp);
    await addPayments(referrer, 1, LAST_MONTH);
    const second = await secondAccountOf(referrer);
    for (let made = 0; made < 2; made++) await pay(testApp, await newInvoice(second));
    expect(await balanceOf(testApp, second)).toBe(50n * DOLLAR);
    expect(await balanceOf(testApp, referrer)).toBe(0n);
    expect(await countPayments(referrer)).toBe(1);
    await pay(testApp, await newInvoice(await createUser(testApp, { referrerId: referrer.id })));
    expect(await balanceOf(testApp, referrer)).toBe(2_500_000n);
    expect(await countPayments(referrer)).toBe(2);
  });

  test('is not granted to a blocked referrer until they are unblocked', async () => {
    const referrer = await createUser(testApp);
    await addPayments(referrer, 1, LAST_MONTH);
    const payer = await createUser(testApp, { referrerId: referrer.id });
    const setStatus = (status: string) =>
      testApp.database.query('update users set status = $2 where id = $1', [referrer.id, status]);
    await setStatus('BLOCKED');
    await pay(testApp, await newInvoice(payer));
    expect(await balanceOf(testApp, referrer)).toBe(0n);
    await setStatus('ACTIVE');
    await pay(testApp, await newInvoice(payer));
    expect(await balanceOf(testApp, referrer)).toBe(2_500_000n);
  });
});
