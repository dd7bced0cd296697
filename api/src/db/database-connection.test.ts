/** @module-tag thorough */
import { createClient, type Call } from '@cellhop/contract/client';
import { connect } from '@cellhop/contract/connections';
import { getProfile } from '@cellhop/contract/users';
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Network } from '../../../faults/network.ts';
import { balanceOf, createProxy, createUser, type TestUser } from '../../test/factories.ts';
import { startSecondApp, startTestApp, type TestApp } from '../../test/test-app.ts';
import { acquire, BoundedClient, connectionOptions, isDatabaseUnavailable } from './database-connection.ts';

const TIME_LIMIT_MS = 1500;
const ACQUIRE_LIMIT_MS = 3000;
/** Fewer than the concurrent requests, so that some wait for a connection. */
const POOL_SIZE = 3;
const UNAVAILABLE = {
  statusCode: 503,
  error: 'Service Unavailable',
  code: 'UNAVAILABLE',
  message: 'Service is temporarily unavailable',
};

/** With a working connection to the database. */
let testApp: TestApp;
beforeAll(async () => {
  testApp = await startTestApp();
});
afterAll(() => testApp.stop());

/** Called with data sent to the database; set by single tests. */
let overheard: (text: string) => void;
let network: Network;
let disturbedUrl: string;
beforeEach(async () => {
  overheard = () => {};
  const url = new URL(testApp.ctx.config.databaseUrl);
  const port = Number(url.port);
  network = new Network(
    () => port,
    () => (piece) => overheard(piece.toString('latin1')),
  );
  url.port = String(await network.listen());
  disturbedUrl = url.href;
});
afterEach(() => network.close());

describe('an API whose network to the database breaks', () => {
  let app: TestApp;
  let user: TestUser;
  let call: Call;
  beforeEach(async () => {
    app = await startSecondApp(testApp, {
      databaseUrl: disturbedUrl,
      databasePoolSize: POOL_SIZE,
      databaseTimeLimitMs: TIME_LIMIT_MS,
      databaseAcquireLimitMs: ACQUIRE_LIMIT_MS,
    });
    user = await createUser(testApp, { balanceMicros: 10_000_000n });
    call = createClient({ baseUrl: app.url, headers: () => user.headers, timeoutMs: 20_000 });
    await askAtOnce();
  });
  afterEach(() => app.stop());

  const ask = () => fetch(`${app.url}/v1/profile`, { headers: user.headers });
  const statusesAtOnce = async () => (await askAtOnce()).map(({ status }) => status);
  /** Fills the pool. */
  const askAtOnce = () => Promise.all(Array.from({ length: POOL_SIZE * 2 }, ask));

  test.each(['refused', 'cut', 'silent', 'blackholed'] as const)(
    '%s: every request ends as UNAVAILABLE, readiness says so, and both come back with the network',
    async (state) => {
      await network.set(state);
      if (state === 'refused') network.reset();
      for (const answer of await askAtOnce()) {
        expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '2']);
        expect(await answer.json()).toEqual(UNAVAILABLE);
      }
      const ready = await fetch(`${app.url}/health/ready`);
      expect([ready.status, await ready.json()]).toEqual([
        503,
        { status: 'unavailable', database: 'away', gateway: 'away' },
      ]);
      await network.set('open');
      await expect.poll(statusesAtOnce).toEqual(Array(POOL_SIZE * 2).fill(200));
      await expect.poll(async () => (await fetch(`${app.url}/health/ready`)).status).toBe(200);
    },
  );

  test('reset connections are replaced', async () => {
    network.reset();
    await expect.poll(async () => (await ask()).status).toBe(200);
  });

  test('readiness responds before a request with the default timeout does', async () => {
    const patient = await startSecondApp(testApp, { databaseUrl: disturbedUrl, databaseTimeLimitMs: 600_000 });
    await fetch(`${patient.url}/health/ready`);
    await network.set('blackholed');
    const answers = await Promise.all([1, 2, 3].map(() => fetch(`${patient.url}/health/ready`)));
    expect(answers.map(({ status }) => status)).toEqual([503, 503, 503]);
    await patient.stop();
  });

  test('a purchase whose response was lost is made once: its key returns the stored result', async () => {
    const proxyId = await createProxy(testApp);
    const headers = { 'idempotency-key': randomUUID() };
    const buy = () => call(connect, { body: { id: proxyId, price: 0.8 } }, { headers });
    overheard = (text) => {
      if (text.includes('buy_proxy')) void network.set('one-way');
    };
    await expect(buy()).rejects.toMatchObject({ status: 503, code: 'UNAVAILABLE', retryAfterSeconds: 2 });
    overheard = () => {};
    await network.set('open');
    const [made] = await testApp.database.query<{ id: string }>('select id from connections where proxy_id = $1', [
      proxyId,
    ]);
    await expect
      .poll(() =>
        call(getProfile, {}).then(
          () => true,
          () => false,
        ),
      )
      .toBe(true);
    expect((await buy()).data.id).toBe(made!.id);
    expect(await balanceOf(testApp, user)).toBe(9_600_000n);
  });

  test('a transaction is rolled back if the network fails', async () => {
    const proxyId = await createProxy(testApp);
    await expect(
      app.ctx.tx(async (ctx) => {
        await ctx.db.query('update proxies set price_micros = 900000 where id = $1', [proxyId]);
        await network.set('blackholed');
        // Even work that swallows errors cannot continue or commit.
        await ctx.db.query('select 1').catch(() => {});
        await network.set('open');
        await expect(ctx.db.query('select 1')).rejects.toThrow('not queryable');
      }),
    ).rejects.toSatisfy(isDatabaseUnavailable);
    const [proxy] = await testApp.database.query('select price_micros as price from proxies where id = $1', [proxyId]);
    expect(proxy).toEqual({ price: 800_000n });
  });
});

test('a pool drops a connection after a query timeout, even if it is released as usable', async () => {
  const pool = new pg.Pool({ ...connectionOptions(disturbedUrl, TIME_LIMIT_MS), Client: BoundedClient, max: 1 });
  pool.on('error', () => {});
  const client = await pool.connect();
  client.on('error', () => {});
  await network.set('blackholed');
  await expect(client.query('select 1')).rejects.toThrow('Query read timeout');
  client.release();
  await network.set('open');
  expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
  await pool.end();
});

test('a pool can be closed if the server does not respond', async () => {
  const pool = new pg.Pool({ ...connectionOptions(disturbedUrl, TIME_LIMIT_MS), Client: BoundedClient });
  pool.on('error', () => {});
  await pool.query('select 1');
  await network.set('blackholed');
  await expect(pool.end()).resolves.toBeUndefined();
});

test('the server ends sessions of lost clients', async () => {
  const [limits] = await testApp.database.query(
    `select current_setting('idle_in_transaction_session_timeout') as "inTransaction",
            current_setting('idle_session_timeout') as idle,
            current_setting('client_connection_check_interval') as working`,
  );
  expect(limits).toEqual({ inTransaction: '10s', idle: '1min', working: '5s' });
});

test.each([
  ['08006', true],
  ['53300', true],
  ['57P01', true],
  ['57014', true],
  ['25006', true],
  ['23505', false],
  ['0A000', false],
  ['42601', false],
])('SQLSTATE %s: the database is unavailable = %s', (code, expected) => {
  const error = Object.assign(new pg.DatabaseError('said by the server', 0, 'error'), { code });
  expect(isDatabaseUnavailable(error)).toBe(expected);
});

test('a connection that comes too late for its request is used for the next one', async () => {
  const pool = new pg.Pool({ ...connectionOptions(disturbedUrl, TIME_LIMIT_MS), Client: BoundedClient, max: 1 });
  pool.on('error', () => {});
  await network.set('silent');
  await expect(acquire(pool, ACQUIRE_LIMIT_MS)).rejects.toSatisfy(isDatabaseUnavailable);
  await network.set('open');
  await expect.poll(() => pool.idleCount).toBe(1);
  expect(pool.totalCount).toBe(1);
  await pool.end();
});
