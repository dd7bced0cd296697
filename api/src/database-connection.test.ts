import { createClient, type Call } from '@cellhop/contract/client';
import { connect } from '@cellhop/contract/connections';
import { getProfile } from '@cellhop/contract/users';
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Network } from '../../faults/network.ts';
import { balanceOf, createProxy, createUser, type TestUser } from '../test/factories.ts';
import { startSecondApp, startTestApp, type TestApp } from '../test/test-app.ts';
import { BoundedClient, connectionOptions, isDatabaseAway } from './database-connection.ts';

const TIME_LIMIT_MS = 1500;
/** Fewer than the requests that are made at once: some wait for a connection that others hold. */
const POOL_SIZE = 3;
const UNAVAILABLE = {
  statusCode: 503,
  error: 'Service Unavailable',
  code: 'UNAVAILABLE',
  message: 'Service is temporarily unavailable',
};

/** With an undisturbed way to its database. */
let testApp: TestApp;
beforeAll(async () => {
  testApp = await startTestApp();
});
afterAll(() => testApp.stop());

/** Hears what is carried to the database; set by single tests. */
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

// Longer than the longest of all waits together, on a machine that does other things too.
describe('an API whose network to the database breaks', { timeout: 60_000 }, () => {
  let app: TestApp;
  let user: TestUser;
  let call: Call;
  beforeEach(async () => {
    app = await startSecondApp(testApp, {
      databaseUrl: disturbedUrl,
      databasePoolSize: POOL_SIZE,
      databaseTimeLimitMs: TIME_LIMIT_MS,
    });
    user = await createUser(testApp, { balanceMicros: 10_000_000n });
    call = createClient({ baseUrl: app.url, headers: () => user.headers, timeoutMs: 20_000 });
    await askAtOnce();
  });
  afterEach(() => app.stop());

  const ask = () => fetch(`${app.url}/v1/profile`, { headers: user.headers });
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
      const statuses = async () => (await askAtOnce()).map(({ status }) => status);
      await expect.poll(statuses, { timeout: 15_000 }).toEqual(Array(POOL_SIZE * 2).fill(200));
      await expect.poll(async () => (await fetch(`${app.url}/health/ready`)).status, { timeout: 15_000 }).toBe(200);
    },
  );

  test('connections that are reset are replaced', async () => {
    network.reset();
    await expect.poll(async () => (await ask()).status, { timeout: 15_000 }).toBe(200);
  });

  test('readiness answers before a request does that has no limit but the usual one', async () => {
    const patient = await startSecondApp(testApp, { databaseUrl: disturbedUrl, databaseTimeLimitMs: 600_000 });
    await fetch(`${patient.url}/health/ready`);
    await network.set('blackholed');
    const answers = await Promise.all([1, 2, 3].map(() => fetch(`${patient.url}/health/ready`)));
    expect(answers.map(({ status }) => status)).toEqual([503, 503, 503]);
    await patient.stop();
  });

  test('a purchase whose answer was lost is made once: its key gives the stored result', async () => {
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
      .poll(
        () =>
          call(getProfile, {}).then(
            () => true,
            () => false,
          ),
        { timeout: 15_000 },
      )
      .toBe(true);
    expect((await buy()).data.id).toBe(made!.id);
    expect(await balanceOf(testApp, user)).toBe(9_600_000n);
  });

  test('what a transaction had done when its network fell silent is undone', async () => {
    const proxyId = await createProxy(testApp);
    await expect(
      app.ctx.tx(async (ctx) => {
        await ctx.db.query('update proxies set price_micros = 900000 where id = $1', [proxyId]);
        await network.set('blackholed');
        // Not even work that hides its errors goes on, or commits.
        await ctx.db.query('select 1').catch(() => {});
        await network.set('open');
        await expect(ctx.db.query('select 1')).rejects.toThrow('not queryable');
      }),
    ).rejects.toSatisfy(isDatabaseAway);
    const [proxy] = await testApp.database.query('select price_micros as price from proxies where id = $1', [proxyId]);
    expect(proxy).toEqual({ price: 800_000n });
  });
});

test('a pool drops a connection whose statement got no answer, also when it is given back as if it were well', async () => {
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

test('a pool that nobody answers can be closed', async () => {
  const pool = new pg.Pool({ ...connectionOptions(disturbedUrl, TIME_LIMIT_MS), Client: BoundedClient });
  pool.on('error', () => {});
  await pool.query('select 1');
  await network.set('blackholed');
  await expect(pool.end()).resolves.toBeUndefined();
});

test('the server itself ends what has lost its program', async () => {
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
])('SQLSTATE %s: the database is away = %s', (code, expected) => {
  const error = Object.assign(new pg.DatabaseError('said by the server', 0, 'error'), { code });
  expect(isDatabaseAway(error)).toBe(expected);
});
