/** @module-tag thorough */
import { connect } from '@cellhop/contract/connections';
import { getProfile, updateProfile } from '@cellhop/contract/users';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { balanceOf, createProxy, createUser, type TestUser } from '../../test/factories.ts';
import { startTestApp, type TestApp } from '../../test/test-app.ts';
import { registerNode } from '../modules/gateway/gateway.service.ts';

const POOL_SIZE = 10;
const SHARE = 2;
const WAITING = 100;

let testApp: TestApp;
beforeAll(async () => {
  testApp = await startTestApp({ databasePoolSize: POOL_SIZE, databaseAcquireLimitMs: 2000 });
  await registerNode(testApp.ctx);
});
afterAll(() => testApp.stop());

/** Holds locks of this statement until the returned function is called. It uses a connection of the pool. */
async function lock(statement: string, values: unknown[]): Promise<() => Promise<void>> {
  const locked = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const holding = testApp.ctx.tx(async ({ db }) => {
    await db.query(statement, values);
    locked.resolve();
    await released.promise;
  });
  await locked.promise;
  return async () => {
    released.resolve();
    await holding;
  };
}

/** A call that waits for the lock of the user's row. */
const change = (user: TestUser) =>
  user.call(updateProfile, { body: { languageCode: 'ru' } }).then(
    () => 200,
    ({ status }: { status: number }) => status,
  );
const lockUser = ({ id }: TestUser) => lock('select from users where id = $1 for update', [id]);

const buy = (user: TestUser, id: string, cap?: number) =>
  user.call(connect, { body: { id, price: 0.8, ...(cap !== undefined && { capMegabytes: cap }) } }).then(
    () => 'BOUGHT',
    ({ code }: { code: string }) => code,
  );

describe('the calls of one user', () => {
  test('take a few connections of the pool, and others find the rest', async () => {
    const [greedy, other] = [await createUser(testApp), await createUser(testApp)];
    const unlock = await lockUser(greedy);
    const calls = Array.from({ length: 60 }, () => change(greedy));
    await expect.poll(() => testApp.app.shares.usage()).toEqual({ running: SHARE, waiting: 60 - SHARE, refused: 0 });
    // One more for the lock of the test.
    expect(testApp.ctx.poolUsage()).toMatchObject({ used: 1 + SHARE, waiting: 0 });
    for (let time = 0; time < 5; time += 1) await expect(other.call(getProfile, {})).resolves.toBeDefined();
    await unlock();
    expect(new Set(await Promise.all(calls))).toEqual(new Set([200]));
    expect(testApp.app.shares.usage()).toMatchObject({ running: 0, waiting: 0 });
  });

  test('beyond their queue are refused, which the metrics count, and later ones are answered', async () => {
    const greedy = await createUser(testApp);
    const unlock = await lockUser(greedy);
    const calls = Array.from({ length: SHARE + WAITING + 7 }, () => change(greedy));
    await expect.poll(() => testApp.app.shares.usage().refused).toBe(7);
    const metrics = await (await fetch(`${testApp.url}/metrics`)).text();
    expect(metrics).toContain(`user_requests{state="running"} ${SHARE}`);
    expect(metrics).toContain(`user_requests{state="waiting"} ${WAITING}`);
    expect(metrics).toContain('user_requests{state="refused"} 7');
    const refused = await fetch(testApp.url + getProfile.url, { headers: greedy.headers });
    expect({ status: refused.status, retryAfter: refused.headers.get('retry-after') }).toEqual({
      status: 429,
      retryAfter: '1',
    });
    await unlock();
    const statuses = await Promise.all(calls);
    expect(statuses.filter((status) => status === 429)).toHaveLength(7);
    await expect(greedy.call(getProfile, {})).resolves.toBeDefined();
  });
});

describe('while a bulk change holds the locks of proxies', () => {
  test('a purchase of one is refused soon, and others go on', async () => {
    const [greedy, other] = [
      await createUser(testApp, { balanceMicros: 50_000_000n }),
      await createUser(testApp, { balanceMicros: 1_000_000n }),
    ];
    const locked = await Promise.all(Array.from({ length: 25 }, () => createProxy(testApp)));
    const free = await createProxy(testApp);
    const unlock = await lock('update proxies set price_micros = price_micros where id = any($1::uuid[])', [locked]);
    const purchases = locked.map((id) => buy(greedy, id));
    expect(await buy(other, free)).toBe('BOUGHT');
    expect(new Set(await Promise.all(purchases))).toEqual(new Set(['PROXY_BUSY']));
    // A cap is set in the same transaction.
    expect(await buy(greedy, locked[0]!, 100)).toBe('PROXY_BUSY');
    expect(await balanceOf(testApp, greedy)).toBe(50_000_000n);
    await unlock();
    expect(await buy(greedy, locked[0]!, 100)).toBe('BOUGHT');
  });
});
