import { readFile } from 'node:fs/promises';
import { getTopUpReceipt } from '@cellhop/contract/invoices';
import { listTransactions } from '@cellhop/contract/transactions';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createUser, type TestUser } from '../../../test/factories.ts';
import { paymentsOn } from '../../../test/payments-on-chain.ts';
import { newInvoice, pay, reload } from '../../../test/sandbox-payments.ts';
import { ScriptedChain } from '../../../test/scripted-chain.ts';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { checkInvariants } from '../../db/check-invariants.ts';
import { packagePath } from '../../process/package-path.ts';

let testApp: TestApp;
let user: TestUser;
beforeAll(async () => {
  testApp = await startTestApp();
  user = await createUser(testApp);
});
afterAll(() => testApp.stop());

const numbers = () =>
  testApp.database.query<{ number: number; depositId: string }>(
    'select number, deposit_id as "depositId" from top_up_receipts order by number',
  );
const receiptOf = (number: number) => user.call(getTopUpReceipt, { params: { number } });
/** A payment that was not worth anything before is credited. */
const credit = (ids: string, micros: number) => `update deposits set credited_micros = ${micros} where id in (${ids})`;

test('each credited top-up has the next number, which its transaction, its invoice and its receipt show', async () => {
  const paid = [];
  for (const amount of [25, 30]) {
    const invoice = await newInvoice(user, 'LTC', amount);
    await pay(testApp, invoice);
    paid.push(invoice);
  }
  expect((await numbers()).map(({ number }) => number)).toEqual([1, 2]);
  const { data } = await user.call(listTransactions, { query: {} });
  expect(data.map(({ receipt }) => receipt)).toEqual([2, 1]);
  expect((await reload(user, paid[1]!)).payment!.transfers).toMatchObject([{ receipt: 2 }]);
  expect((await receiptOf(2)).data).toMatchObject({
    number: 2,
    amount: 30,
    currency: 'LTC',
    invoiceId: paid[1]!.id,
    reversedAt: null,
  });
});

test('nobody else sees a receipt', async () => {
  const other = await createUser(testApp);
  await expect(other.call(getTopUpReceipt, { params: { number: 1 } })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await expect(receiptOf(99)).rejects.toMatchObject({ code: 'NOT_FOUND' });
});

test('a payment that leaves its chain and returns keeps its number; its receipt says meanwhile that it was reversed', async () => {
  const { credit, orphan, confirm } = paymentsOn(new ScriptedChain(), testApp);
  const { payment } = await credit(user);
  await orphan(payment);
  expect((await receiptOf(3)).data.reversedAt).not.toBeNull();
  await confirm(payment);
  expect((await receiptOf(3)).data).toMatchObject({ amount: 25, reversedAt: null });
  expect(await numbers()).toHaveLength(3);
  expect(await checkInvariants(testApp.ctx)).toEqual([]);
});

test('credits at the same time, and one that is rolled back, leave no gap', async () => {
  await testApp.database.query('delete from top_up_receipts');
  const ids = (await testApp.database.query<{ id: string }>('select id from deposits')).map(({ id }) => `'${id}'`);
  const [first, ...others] = ids;
  const rolledBack = testApp.database.transaction(async (db) => {
    await db.query(credit(first!, 5));
    await db.query('set constraints all immediate');
    throw new Error('no credit');
  });
  await Promise.allSettled([rolledBack, ...others.map((id) => testApp.database.query(credit(id, 5)))]);
  expect((await numbers()).map(({ number }) => number)).toEqual([1, 2]);
  await testApp.database.query(credit(first!, 5));
  expect((await numbers()).map(({ number }) => number)).toEqual([1, 2, 3]);
});

test('the migration numbers existing top-ups in the order of their credits, and leaves out what was worth nothing', async () => {
  const rows = await testApp.database.query<{ id: string }>('select id from deposits order by credited_at');
  for (const statement of [
    'delete from top_up_receipts',
    'drop trigger deposits_receipted on deposits',
    'drop function number_top_up()',
  ])
    await testApp.database.query(statement);
  await testApp.database.query(credit(`'${rows[1]!.id}'`, 0));
  const migration = await readFile(packagePath('migrations/0057_receipts_of_existing_top_ups.sql'), 'utf8');
  const client = new Client({ connectionString: testApp.ctx.config.databaseUrl });
  await client.connect();
  await client.query(migration);
  await client.end();
  expect((await numbers()).map(({ depositId }) => depositId)).toEqual([rows[0]!.id, rows[2]!.id]);
  await testApp.database.query(credit(`'${rows[1]!.id}'`, 5));
  expect((await numbers()).at(-1)).toEqual({ number: 3, depositId: rows[1]!.id });
});
