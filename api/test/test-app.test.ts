import { afterAll, beforeAll, expect, test } from 'vitest';
import { createProxy, createUser } from './factories.ts';
import { startTestApp, type TestApp } from './test-app.ts';

let testApp: TestApp;
beforeAll(async () => {
  testApp = await startTestApp();
});
afterAll(() => testApp.stop());

test('reset restores rows, also those that triggers protect, sequences and settings', async () => {
  const { ctx, database } = testApp;
  const counts = async () => {
    const tables = ['users', 'proxies', 'roles', 'accounts', 'transfers', 'chain_cursors'];
    const rows = await Promise.all(tables.map((table) => database.query(`select to_jsonb(${table}) from ${table}`)));
    return rows.map((each) => each.map((row) => JSON.stringify(row)).toSorted());
  };
  await testApp.reset();
  const before = await counts();
  const first = await createUser(testApp, { balanceMicros: 5n });
  await createProxy(testApp);
  await database.query(`update chain_cursors set cursor = 'moved'`);
  await database.query(`delete from roles where name = 'SUPPORT'`);
  ctx.config.brandName = 'Another';
  ctx.config.payments.accounts = {};
  const { brandName, payments } = ctx.config;
  await testApp.reset();
  expect(await counts()).toEqual(before);
  expect(ctx.config.brandName).not.toBe(brandName);
  expect(ctx.config.payments).not.toBe(payments);
  expect((await createUser(testApp)).accountId).toBe(first.accountId);
});
