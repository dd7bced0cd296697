import { logout } from '@cellhop/contract/auth';
import { connect } from '@cellhop/contract/connections';
import { LIVE_EVENTS_PATH, staffTopics, type StaffTopic } from '@cellhop/contract/live.values';
import { seededRoles } from '@cellhop/contract/permissions';
import { changeUserStatus } from '@cellhop/contract/staff/users';
import { once } from 'node:events';
import http from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createProxy, createUser, topUp, type TestUser } from '../../test/factories.ts';
import { adjust } from '../../test/staff-requests.ts';
import { openStream } from '../../test/live.ts';
import { startSecondApp, startTestApp, type TestApp } from '../../test/test-app.ts';
import { newInvoice } from '../../test/sandbox-payments.ts';
import { STAFF } from './changes.ts';
import { issueTokens, newSecret } from '../modules/auth/tokens.ts';

let testApp: TestApp;
let second: Awaited<ReturnType<typeof startSecondApp>>;
beforeAll(async () => {
  testApp = await startTestApp();
  second = await startSecondApp(testApp);
});
afterAll(async () => {
  await second.stop();
  await testApp.stop();
});

const listenFor = (user: TestUser) => openStream(testApp.url, user);
/** All earlier events have arrived with this one, because the database keeps the order. */
async function settle(user: TestUser, stream: Awaited<ReturnType<typeof openStream>>): Promise<void> {
  testApp.ctx.changed({ userId: user.id }, 'tickets');
  await stream.saw('changed tickets');
}

describe('the stream', () => {
  test('has headers that prevent buffering by reverse proxies', async () => {
    const stream = await listenFor(await createUser(testApp));
    expect(stream.headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store, no-transform',
      'x-accel-buffering': 'no',
      'x-content-type-options': 'nosniff',
    });
    stream.close();
  });

  test.each([undefined, 'Bearer nonsense'])('is refused without a valid token: %s', async (authorization) => {
    const headers = authorization === undefined ? {} : { authorization };
    const response = await fetch(testApp.url + LIVE_EVENTS_PATH, { headers });
    expect(response.status).toBe(401);
    expect(await response.json()).toMatchObject({ code: 'UNAUTHORIZED' });
  });

  test('is limited to ten per user; the eleventh gets Retry-After', async () => {
    const user = await createUser(testApp);
    const streams = await Promise.all(Array.from({ length: 10 }, () => listenFor(user)));
    const refused = await fetch(testApp.url + LIVE_EVENTS_PATH, { headers: { authorization: `Bearer ${user.token}` } });
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '30']);
    streams[0]!.close();
    await expect.poll(async () => (await listenFor(user)).events[0]).toBe('open');
    for (const stream of streams) stream.close();
  });

  test('of a client that disconnects before it is open does not count', async () => {
    const user = await createUser(testApp);
    // During authentication, which a lock delays until all clients have disconnected.
    await testApp.ctx.tx(async (ctx) => {
      await ctx.db.query('lock table users in access exclusive mode');
      for (let time = 0; time < 12; time++) {
        const arrived = once(testApp.app.server, 'request');
        const request = http.get(testApp.url + LIVE_EVENTS_PATH, { headers: user.headers, agent: false });
        request.on('error', () => {});
        const [{ socket }] = (await arrived) as [http.IncomingMessage];
        const left = new Promise((resolve) => socket.once('close', resolve));
        request.destroy();
        await left;
      }
    });
    const streams = await Promise.all(Array.from({ length: 10 }, () => listenFor(user)));
    expect(streams.map(({ events }) => events[0])).toEqual(Array.from({ length: 10 }, () => 'open'));
    for (const stream of streams) stream.close();
  });

  test('is limited in number per process', async () => {
    const small = await startTestApp({ socketsMax: 12, socketsPerNetwork: 100 });
    const [user, other] = [await createUser(small), await createUser(small)];
    const streams = await Promise.all(Array.from({ length: 9 }, () => openStream(small.url, user)));
    const refused = await fetch(small.url + LIVE_EVENTS_PATH, { headers: other.headers });
    expect(refused.status).toBe(503);
    for (const stream of streams) stream.close();
    await small.stop();
  });

  test('ends with the session, whichever process ended it', async () => {
    const user = await createUser(testApp);
    const stream = await openStream(second.url, user);
    await user.call(logout, {});
    expect(await stream.ended).toBe('ended');
  });

  test('ends when its access token does', async () => {
    const user = await createUser(testApp);
    const [session] = await testApp.database.query<{ id: string }>('select id from sessions where user_id = $1', [
      user.id,
    ]);
    const almostOver = new Date(Date.now() - 15 * 60_000 + 2000);
    const claims = { userId: user.id, sessionId: session!.id };
    const tokens = await issueTokens(testApp.ctx.config.secretKeys, claims, newSecret(), almostOver);
    const stream = await openStream(testApp.url, { token: tokens.accessToken });
    await stream.ended;
    expect(Date.now()).toBeGreaterThanOrEqual(tokens.expiredAccessTokenAt - 50);
  });

  test('does not delay the shutdown of the server', async () => {
    const third = await startSecondApp(testApp);
    const stream = await openStream(third.url, await createUser(testApp));
    await third.stop();
    expect(await stream.ended).toBe('ended');
  });
});

describe('an event', () => {
  test('on one process reaches another', async () => {
    const user = await createUser(testApp, { balanceMicros: 5_000_000n });
    const stream = await openStream(second.url, user);
    const id = await createProxy(testApp);
    await user.call(connect, { body: { id, price: 0.8 } });
    await stream.saw('changed connections', 'changed balance');
    await newInvoice(user);
    await stream.saw('changed invoices');
    expect(new Set(stream.events).size).toBe(4);
    stream.close();
  });

  test('never reaches another user', async () => {
    const [buyer, stranger] = [await createUser(testApp), await createUser(testApp)];
    const [own, foreign] = [await listenFor(buyer), await listenFor(stranger)];
    await topUp(testApp, buyer.accountId, 1n);
    await own.saw('changed balance');
    await settle(stranger, foreign);
    expect(foreign.events).toEqual(['open', 'changed tickets']);
    own.close();
    foreign.close();
  });

  test('for staff reaches those with the permission of its topic, and nobody else', async () => {
    const topics = Object.keys(staffTopics) as StaffTopic[];
    const roles = ['USER', 'SUPPORT', 'FINANCE', 'ADMIN'];
    const users = await Promise.all(roles.map((roleName) => createUser(testApp, { roleName })));
    const streams = await Promise.all(users.map((user) => openStream(second.url, user)));
    for (let time = 0; time < 100; time++) for (const topic of topics) testApp.ctx.changed(STAFF, topic);
    await streams[3]!.saw(...topics.map((topic) => `changed ${topic}`));
    for (const [index, user] of users.entries()) {
      await settle(user, streams[index]!);
      const readable = topics.filter((topic) => seededRoles[roles[index]!]!.includes(staffTopics[topic].permission));
      const seen = topics.filter((topic) => streams[index]!.events.includes(`changed ${topic}`));
      expect(seen).toEqual(readable);
    }
    for (const stream of streams) stream.close();
  });

  test('about money or access of a user also reaches staff lists', async () => {
    const [user, admin] = [await createUser(testApp), await createUser(testApp, { roleName: 'ADMIN' })];
    const stream = await openStream(second.url, admin);
    await adjust(admin, user, 1);
    await stream.saw('changed staff-adjustments', 'changed staff-transactions', 'changed staff-users');
    stream.close();
    const next = await openStream(second.url, admin);
    const body = { status: 'BLOCKED', reason: 'they asked for it' } as const;
    await admin.call(changeUserStatus, { params: { id: user.id }, body });
    await next.saw('changed staff-users');
    expect(next.events).not.toContain('changed staff-tickets');
    next.close();
  });

  test('of a transaction that is rolled back is not sent', async () => {
    const user = await createUser(testApp);
    const stream = await listenFor(user);
    const rolledBack = testApp.ctx.tx(async (ctx) => {
      ctx.changed({ userId: user.id }, 'invoices');
      await ctx.tx(async (nested) => nested.changed({ userId: user.id }, 'balance'));
      throw new Error('changed my mind');
    });
    await expect(rolledBack).rejects.toThrow('changed my mind');
    await settle(user, stream);
    expect(stream.events).toEqual(['open', 'changed tickets']);
    stream.close();
  });

  test('of a retried transaction is sent as in the last attempt', async () => {
    const user = await createUser(testApp);
    const stream = await listenFor(user);
    let attempts = 0;
    await testApp.ctx.tx(async (ctx) => {
      attempts += 1;
      ctx.changed({ userId: user.id }, attempts === 1 ? 'invoices' : 'balance');
      if (attempts === 1) await ctx.db.query(`do $$ begin raise exception using errcode = '40001'; end $$`);
    });
    await stream.saw('changed balance');
    await settle(user, stream);
    expect(stream.events).not.toContain('changed invoices');
    stream.close();
  });

  test('is sent after the commit', async () => {
    const user = await createUser(testApp);
    const stream = await listenFor(user);
    await testApp.ctx.tx(async (ctx) => {
      ctx.changed({ userId: user.id }, 'balance');
      await settle(user, stream);
      expect(stream.events).not.toContain('changed balance');
    });
    await stream.saw('changed balance');
    stream.close();
  });

  test('reaches many users', async () => {
    const user = await createUser(testApp);
    const stream = await listenFor(user);
    for (let other = 0; other < 2000; other++)
      testApp.ctx.changed({ userId: `00000000-0000-4000-8000-${String(other).padStart(12, '0')}` }, 'balance');
    testApp.ctx.changed({ accountId: user.accountId }, 'balance');
    await stream.saw('changed balance');
    expect(stream.events).toEqual(['open', 'changed balance']);
    stream.close();
  });
});

test('a listener reconnects after a lost connection, and all clients refetch', async () => {
  const user = await createUser(testApp);
  const stream = await listenFor(user);
  await testApp.database.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
      where application_name = 'live events' and datname = current_database()`,
  );
  await stream.saw('refetch');
  await topUp(testApp, user.accountId, 1n);
  await stream.saw('changed balance');
  expect(stream.events).toEqual(['open', 'refetch', 'changed balance']);
  stream.close();
});
