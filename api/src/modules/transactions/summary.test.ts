import { connect, disconnect } from '@cellhop/contract/connections';
import { listTransactions, summarizeTransactions } from '@cellhop/contract/transactions';
import { transactionKinds } from '@cellhop/contract/transactions.values';
import { toMicros } from '@cellhop/contract/units';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createProxy, createUser, topUp, type TestUser } from '../../../test/factories.ts';
import { createGatewayRun } from '../../../test/gateway-client.ts';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { registerNode } from '../gateway/gateway.service.ts';

const MB = 1_048_576;
const DAY_MS = 86_400_000;

let testApp: TestApp;
beforeAll(async () => {
  testApp = await startTestApp();
  await registerNode(testApp.ctx);
});
afterAll(() => testApp.stop());

const ago = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString();
const summary = async (user: TestUser, from: string, to: string) =>
  (await user.call(summarizeTransactions, { query: { from, to } })).data;
/** Backdates all transactions. */
const age = (user: TestUser, days: number) =>
  testApp.database.transaction(async (db) => {
    await db.query('set local session_replication_role = replica');
    await db.query(
      `update transfers set created_at = created_at - $2 * interval '1 day' where debit_account_id = $1 or credit_account_id = $1`,
      [user.accountId, days],
    );
  });

/** A purchase with traffic beyond the first 50 MB, and one that is refunded. */
async function spend(user: TestUser): Promise<void> {
  const buy = async () => (await user.call(connect, { body: { id: await createProxy(testApp), price: 0.8 } })).data;
  const [used, unused] = [await buy(), await buy()];
  const run = createGatewayRun(testApp);
  await run.authorize(used);
  await run.report(used.id, 52.5 * MB, MB);
  await run.end(used.id, 52.5 * MB);
  for (const connection of [used, unused]) await user.call(disconnect, { params: connection });
}

test('the sums and balances of a range equal the statement, to the micro-dollar', async () => {
  const user = await createUser(testApp, { balanceMicros: 5_123_457n });
  await spend(user);
  await age(user, 40);
  await topUp(testApp, user.accountId, 2_000_001n);
  await spend(user);
  await age(user, 40);
  await spend(user);
  const rows = (await user.call(listTransactions, { query: { size: 100 } })).data;
  const ranges = [
    [ago(100), ago(60)],
    [ago(60), ago(20)],
    [ago(20), ago(-1)],
    [ago(100), ago(-1)],
    [ago(200), ago(100)],
  ] as const;
  const summaries = await Promise.all(ranges.map(([from, to]) => summary(user, from, to)));
  for (const [index, [from, to]] of ranges.entries()) {
    const listed = rows.filter(({ createdAt }) => createdAt >= from && createdAt < to);
    const { openingBalance, closingBalance, kinds } = summaries[index]!;
    const expected = transactionKinds.flatMap((kind) => {
      const amounts = listed.filter((row) => row.kind === kind).map(({ amount }) => toMicros(amount));
      const micros = amounts.reduce((sum, amount) => sum + amount, 0n);
      return amounts.length === 0 ? [] : [{ kind, count: amounts.length, micros }];
    });
    expect(kinds.map(({ amount, ...kind }) => ({ ...kind, micros: toMicros(amount) }))).toEqual(expected);
    expect(closingBalance).toBe(listed[0]?.balanceAfter ?? 0);
    const total = expected.reduce((sum, { micros }) => sum + micros, 0n);
    expect(toMicros(openingBalance) + total).toBe(toMicros(closingBalance));
  }
  expect(summaries[0]!.closingBalance).toBe(summaries[1]!.openingBalance);
  expect(summaries[1]!.kinds.map(({ kind }) => kind)).toEqual(['TOP_UP', 'PREPAID_50_MB', 'MEGABYTE', 'REFUND']);
});

test('an account without transactions has empty sums, and nobody sees those of others', async () => {
  const [user, other] = await Promise.all([createUser(testApp, { balanceMicros: 7_000_000n }), createUser(testApp)]);
  expect(await summary(other, ago(30), ago(-1))).toEqual({ openingBalance: 0, closingBalance: 0, kinds: [] });
  expect((await summary(user, ago(30), ago(-1))).closingBalance).toBe(7);
  await expect(testApp.call(summarizeTransactions, { query: { from: ago(1), to: ago(0) } })).rejects.toMatchObject({
    status: 401,
  });
});

test('refuses a reversed range and one of more than a year', async () => {
  const user = await createUser(testApp);
  for (const [from, to] of [
    [ago(0), ago(1)],
    [ago(367), ago(0)],
  ] as const)
    await expect(summary(user, from, to)).rejects.toMatchObject({
      code: 'VALIDATION',
      body: { details: [{ path: 'query.to' }] },
    });
});
