import { afterAll, beforeAll, expect, test } from 'vitest';
import { createProxy } from '../../test/factories.ts';
import { startTestApp, type TestApp } from '../../test/test-app.ts';
import type { TransactionOptions } from './db.ts';

let testApp: TestApp;
beforeAll(async () => {
  testApp = await startTestApp({ databaseTimeLimitMs: undefined });
});
afterAll(() => testApp.stop());

const priceOf = async (proxyId: string) => {
  const [row] = await testApp.database.query<{ price: bigint }>(
    'select price_micros as price from proxies where id = $1',
    [proxyId],
  );
  return row!.price;
};

test('a transaction that swallows the failure of a statement is rolled back and reported as failed', async () => {
  const proxyId = await createProxy(testApp, { priceMicros: 800_000n });
  const work = testApp.ctx.tx(async (ctx) => {
    await ctx.db.query('update proxies set price_micros = 900000 where id = $1', [proxyId]);
    await ctx.db.query('select 1 / 0').catch(() => {});
  });
  await expect(work).rejects.toThrow('the transaction was not committed: the server responded ROLLBACK');
  expect(await priceOf(proxyId)).toBe(800_000n);
});

test('a failure rolled back to a savepoint does not fail the transaction', async () => {
  const proxyId = await createProxy(testApp, { priceMicros: 800_000n });
  await testApp.ctx.tx(async (ctx) => {
    await ctx.db.query('update proxies set price_micros = 900000 where id = $1', [proxyId]);
    await ctx.db.query('savepoint before_failure');
    await ctx.db.query('select 1 / 0').catch(() => {});
    await ctx.db.query('rollback to savepoint before_failure');
  });
  expect(await priceOf(proxyId)).toBe(900_000n);
});

/** In PostgreSQL's format. */
async function statementTimeout(options?: TransactionOptions): Promise<string> {
  return testApp.ctx.tx(async (ctx) => {
    await ctx.db.query('set transaction isolation level repeatable read, read only');
    const [row] = await ctx.db.query<{ limit: string }>(`select current_setting('statement_timeout') as limit`);
    return row!.limit;
  }, options);
}

test('a transaction may have a longer statement timeout, which ends with it', async () => {
  expect(await statementTimeout({ timeLimitMs: 120_000 })).toBe('2min');
  expect(await statementTimeout()).toBe('8s');
});
