import { connect } from '@cellhop/contract/connections';
import { listNotifications } from '@cellhop/contract/notifications';
import { createAdjustment, listUserTransactions } from '@cellhop/contract/staff/transactions';
import { listTransactions } from '@cellhop/contract/transactions';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { balanceOf, createProxy, createUser, type TestUser } from '../../../test/factories.ts';
import { createGatewayRun } from '../../../test/gateway-client.ts';
import { adjust, entriesAbout, REASON } from '../../../test/staff-requests.ts';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { checkInvariants } from '../../db/check-invariants.ts';
import { registerNode } from '../gateway/gateway.service.ts';

const DOLLAR = 1_000_000n;
const MB = 1_048_576;

let testApp: TestApp;
let staff: TestUser;
beforeAll(async () => {
  testApp = await startTestApp();
  await registerNode(testApp.ctx);
});
// Each has a sum of the day of their own.
beforeEach(async () => {
  staff = await createUser(testApp, { roleName: 'FINANCE' });
});
afterAll(async () => {
  expect(await checkInvariants(testApp.ctx)).toEqual([]);
  await testApp.stop();
});

describe('an adjustment', () => {
  test('moves the amount; customers see neither reason nor author', async () => {
    const user = await createUser(testApp, { balanceMicros: 10n * DOLLAR });
    const made = await adjust(staff, user, 2.5);
    expect(made).toMatchObject({ kind: 'ADJUSTMENT', status: 'APPLIED', amount: 2.5, reason: REASON });
    await adjust(staff, user, -0.75);
    expect(await balanceOf(testApp, user)).toBe(11_750_000n);
    const { data } = await user.call(listTransactions, { query: {} });
    expect(data).toMatchObject([
      { kind: 'ADJUSTMENT', amount: -0.75, balanceAfter: 11.75, subject: null },
      { kind: 'ADJUSTMENT', amount: 2.5, balanceAfter: 12.5, subject: null },
      { kind: 'TOP_UP' },
    ]);
    const seen = JSON.stringify([data, await user.call(listNotifications, { query: {} })]);
    expect(seen).not.toContain(REASON);
    expect(seen).not.toContain(staff.email);
    expect(seen).toContain('$0.75');
  });

  test('is in the CSV of the customer', async () => {
    const user = await createUser(testApp);
    await adjust(staff, user, 3);
    const response = await fetch(`${testApp.url}/v1/transactions/export`, { headers: user.headers });
    expect(await response.text()).toMatch(/,ADJUSTMENT,3\.000000,3\.000000,,,\r\n$/);
  });

  test('is in the audit log with the balance before and after, and why', async () => {
    const user = await createUser(testApp, { balanceMicros: DOLLAR });
    const { id } = await adjust(staff, user, 4);
    expect(await entriesAbout(testApp, user)).toEqual([
      {
        action: 'BALANCE_ADJUSTED',
        actorId: staff.id,
        subjectType: 'REQUEST',
        subjectId: id,
        details: {
          kind: 'ADJUSTMENT',
          requestId: id,
          amount: 4,
          reason: REASON,
          before: { balance: 1 },
          after: { balance: 5 },
        },
      },
    ]);
  });

  test('is made once per idempotency key, also by concurrent requests', async () => {
    const user = await createUser(testApp);
    const key = randomUUID();
    const made = await Promise.all(Array.from({ length: 5 }, () => adjust(staff, user, 1, key)));
    expect(new Set(made.map(({ id }) => id)).size).toBe(1);
    expect(await balanceOf(testApp, user)).toBe(DOLLAR);
    await expect(adjust(staff, user, 2, key)).rejects.toMatchObject({ code: 'IDEMPOTENCY_KEY_REUSED' });
    const other = await createUser(testApp);
    await expect(adjust(staff, other, 1, key)).rejects.toMatchObject({ code: 'IDEMPOTENCY_KEY_REUSED' });
    expect(await balanceOf(testApp, other)).toBe(0n);
  });

  test('never takes more than the balance without holds', async () => {
    const user = await createUser(testApp, { balanceMicros: DOLLAR });
    await expect(adjust(staff, user, -1.000001)).rejects.toMatchObject({ status: 402, code: 'SMALL_BALANCE' });
    const bought = await user.call(connect, { body: { id: await createProxy(testApp), price: 0.8 } });
    const run = createGatewayRun(testApp);
    await run.authorize(bought.data);
    await run.report(bought.data.id, 50 * MB, 20 * MB);
    const [account] = await testApp.database.query<{ free: bigint }>(
      'select balance_micros - held_micros as free from accounts where id = $1 and held_micros > 0',
      [user.accountId],
    );
    await expect(adjust(staff, user, -0.6)).rejects.toMatchObject({ code: 'SMALL_BALANCE' });
    await adjust(staff, user, -Number(account!.free) / 1e6);
    expect(await entriesAbout(testApp, user)).toHaveLength(1);
    await run.end(bought.data.id, 50 * MB);
  });

  test.each([
    { amount: 0 },
    { amount: 0.000_000_1 },
    { amount: 100_001 },
    { amount: -100_001 },
    { reason: 'no' },
    { reason: undefined },
  ])('refuses %j', async (change) => {
    const user = await createUser(testApp);
    const body = { userId: user.id, amount: 1, reason: REASON, ...change } as never;
    await expect(staff.call(createAdjustment, { body })).rejects.toMatchObject({ status: 400, code: 'VALIDATION' });
  });

  test('of an unknown user is not found, and it is forbidden without the permission', async () => {
    await expect(adjust(staff, { id: randomUUID() }, 1)).rejects.toMatchObject({ status: 404, code: 'NOT_FOUND' });
    const support = await createUser(testApp, { roleName: 'SUPPORT' });
    await expect(adjust(support, support, 1)).rejects.toMatchObject({ status: 403 });
  });
});

describe('the ledger of a user', () => {
  test('shows staff the same rows as the customer, with balance, author and reason', async () => {
    const user = await createUser(testApp, { balanceMicros: 10n * DOLLAR });
    await user.call(connect, { body: { id: await createProxy(testApp), price: 0.8 } });
    const { id } = await adjust(staff, user, 1);
    const { data, ...ledger } = await staff.call(listUserTransactions, { query: { userId: user.id } });
    const own = await user.call(listTransactions, { query: {} });
    expect(data).toMatchObject(own.data);
    expect(data.map(({ adjustment }) => adjustment)).toEqual([
      { id, reason: REASON, author: { id: staff.id, email: staff.email } },
      null,
      null,
    ]);
    expect(ledger).toMatchObject({ totalPages: 1, user: { id: user.id, email: user.email }, balance: 10.6, held: 0 });
    const filtered = await staff.call(listUserTransactions, { query: { userId: user.id, kind: ['ADJUSTMENT'] } });
    expect(filtered.data).toHaveLength(1);
  });

  test('of an unknown user is not found', async () => {
    const query = { userId: randomUUID() };
    await expect(staff.call(listUserTransactions, { query })).rejects.toMatchObject({ status: 404 });
    const support = await createUser(testApp, { roleName: 'SUPPORT' });
    await expect(support.call(listUserTransactions, { query })).rejects.toMatchObject({ status: 403 });
  });
});
