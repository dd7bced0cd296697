import { checkConnection } from '@cellhop/contract/connection-checks';
import { connect } from '@cellhop/contract/connections';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { checkFailed, checkOk, createCheckingNode, createUncheckedExit } from '../../test/checking-node.ts';
import { createUser } from '../../test/factories.ts';
import { startTestApp, type TestApp } from '../../test/test-app.ts';
import { createCtx } from '../ctx.ts';
import { correctFutureTimes, watchClock } from './clock.ts';

const HOURS_MS = 3 * 3_600_000;
const silent = { level: 'warn', info() {}, debug() {}, error() {}, fatal() {} };

let testApp: TestApp;
beforeAll(async () => {
  testApp = await startTestApp();
});
afterAll(() => testApp.stop());
afterEach(() => void vi.useRealTimers());

const setClock = (aheadMs: number) => vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + aheadMs });

test.each([
  [59_000, 200, /^$/],
  [-59_000, 200, /^$/],
  [65_000, 503, /^The clock of this machine is 6\d s ahead of that of the database: synchronise both\.$/],
  [-1_200_000, 503, /^The clock of this machine is 1\d{3} s behind that of the database: synchronise both\.$/],
])("with a clock that is %i ms ahead of the database's readiness is %i", async (aheadMs, status, text) => {
  setClock(aheadMs);
  const response = await fetch(`${testApp.url}/health/ready`);
  const { reason = '' } = (await response.json()) as { reason?: string };
  expect([response.status, reason]).toEqual([status, expect.stringMatching(text)]);
});

test.each([
  [0, 0],
  [8_000, 1],
  [-8_000, 1],
])('a clock that is %i ms ahead is compared at the start, with %i warnings', async (aheadMs, warnings) => {
  const warn = vi.fn<(fields: unknown, text: string) => void>();
  let isCompared = false;
  const ctx = createCtx(testApp.database, testApp.ctx.config, { ...silent, warn } as never);
  const query = ctx.db.query.bind(ctx.db);
  const db = {
    query: async (...values: Parameters<typeof query>) => query(...values).finally(() => (isCompared = true)),
  };
  setClock(aheadMs);
  const stop = watchClock({ ...ctx, db: db as typeof ctx.db });
  await expect.poll(() => isCompared).toBe(true);
  await new Promise((resolve) => setImmediate(resolve));
  stop();
  expect(warn).toHaveBeenCalledTimes(warnings);
});

test("after a step back of the database's clock, checks, polls, leases and silent runs go on at once", async () => {
  const node = await createCheckingNode(testApp);
  const exit = await createUncheckedExit(testApp, node);
  await node.exchange({ checks: [checkOk(exit.id)] });
  await node.exchange({ checks: [checkFailed(exit.id)] });
  await testApp.database.query(
    'insert into gateway_runs (id, node_id) select gen_random_uuid(), id from gateway_nodes limit 1',
  );
  await testApp.database.query('insert into listening default values on conflict do nothing');
  await node.letTimePass(-HOURS_MS / 1000);
  const ahead = `interval '${HOURS_MS} milliseconds'`;
  await testApp.database.query(`update chain_cursors set next_poll_at = now() + ${ahead}`);
  await testApp.database.query(
    `update reconciliation set claimed_at = now() + ${ahead}, leased_until = now() + ${ahead}`,
  );
  await testApp.database.query(`update gateway_runs set seen_at = now() + ${ahead}`);
  await testApp.database.query(`update listening set since = now() + ${ahead}, seen_at = now() + ${ahead}`);
  expect(await node.takeDue()).toEqual([]);
  await correctFutureTimes(testApp.ctx);
  expect(await node.takeDue()).toEqual([exit.id]);
  const [row] = await testApp.database.query(
    `select (select bool_and(failing_since <= now() and checked_at < now() - interval '1 minute') from exit_checks where exit_id = $1) as checks,
            (select bool_and(next_poll_at <= now()) from chain_cursors) as polls,
            (select claimed_at is null and leased_until is null from reconciliation) as lease,
            (select bool_and(seen_at <= now()) from gateway_runs) as runs,
            (select since <= now() and seen_at <= now() and api_available_since() <= now() from listening) as listening`,
    [exit.id],
  );
  expect(row).toEqual({ checks: true, polls: true, lease: true, runs: true, listening: true });
  await correctFutureTimes(testApp.ctx);
  expect(await node.takeDue()).toEqual([]);
});

test('a check in the future is not fresh for a customer who tests their exit', async () => {
  const node = await createCheckingNode(testApp);
  const exit = await createUncheckedExit(testApp, node);
  await node.exchange({ checks: [checkOk(exit.id)] });
  const user = await createUser(testApp, { balanceMicros: 5_000_000n });
  const body = { id: exit.proxyId, price: 0.8 };
  const { id } = (await testApp.call(connect, { body }, { headers: user.headers })).data;
  await node.letTimePass(-HOURS_MS / 1000);
  const { data } = await testApp.call(checkConnection, { params: { id } }, { headers: user.headers });
  expect(data.state).toBe('RUNNING');
});
