import { connect, disconnect, listConnections } from '@cellhop/contract/connections';
import { endAnyConnection, listAllConnections } from '@cellhop/contract/staff/connections';
import { searchProxies } from '@cellhop/contract/proxies';
import { prepaidPrice, toDollars } from '@cellhop/contract/units';
import { getProfile } from '@cellhop/contract/users';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { balanceOf, createExit, createProxy, createUser, type TestUser } from '../../../test/factories.ts';
import { createGatewayRun } from '../../../test/gateway-client.ts';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { checkInvariants } from '../../db/check-invariants.ts';
import { registerNode } from '../gateway/gateway.service.ts';
import { endIdle } from '../billing/ending.service.ts';
import { endIdleConnections } from '../billing/end-idle-connections.service.ts';
import { scaled } from '../../../../tools/test-scale.ts';

const MB = 1_048_576;
const DOLLAR = 1_000_000n;

let testApp: TestApp;
beforeAll(async () => {
  testApp = await startTestApp();
  await registerNode(testApp.ctx);
});
afterAll(async () => {
  expect(await checkInvariants(testApp.ctx)).toEqual([]);
  await testApp.stop();
});

async function buy(user: TestUser, proxyId?: string) {
  const id = proxyId ?? (await createProxy(testApp));
  return (await user.call(connect, { body: { id, price: 0.8 } })).data;
}

const rich = () => createUser(testApp, { balanceMicros: 10n * DOLLAR });
/** Backdates a purchase, because the database's clock measures the windows. */
const age = (id: string, interval: string) =>
  testApp.database.query(
    `update connections set created_at = created_at - $2::interval,
                            idle_marks = array(select (at - $2::interval, used_bytes)::traffic_mark from unnest(idle_marks))
      where id = $1`,
    [id, interval],
  );

describe('connect', () => {
  test('takes price/2, shows credentials and takes the proxy off the catalogue', async () => {
    const user = await rich();
    const city = randomUUID();
    const proxyId = await createProxy(testApp, { city });
    const connection = await buy(user, proxyId);
    expect(connection).toMatchObject({
      status: 'WORK',
      refundStatus: 'NONE',
      price: 0.8,
      paidFor: 0.4,
      trafficUsed: 0,
      currentBalance: 9.6,
      host: '127.0.0.1',
      port: 1080,
      disconnectAt: null,
    });
    expect(connection.dnsPort).toBeGreaterThanOrEqual(20_000);
    expect(connection.username).toMatch(/^[a-z2-9]{12}$/);
    expect(connection.password).toMatch(/^[a-z2-9]{27}$/);
    expect(await balanceOf(testApp, user)).toBe(9_600_000n);
    expect((await user.call(searchProxies, { query: { city: [city] } })).data).toEqual([]);
    expect((await user.call(getProfile, {})).data.balance).toBe(9.6);
  });

  test('stores the password encrypted, with a unique ciphertext', async () => {
    const user = await rich();
    const [one, two] = [await buy(user), await buy(user)];
    expect(one.password).not.toBe(two.password);
    const rows = await testApp.database.query<{ text: string }>(
      "select encode(password_encrypted, 'escape') || encode(password_hash, 'escape') as text from connections",
    );
    for (const row of rows) expect(row.text).not.toContain(one.password);
  });

  test('refuses a balance below price/2 and sells nothing', async () => {
    const user = await createUser(testApp, { balanceMicros: 399_999n });
    const proxyId = await createProxy(testApp);
    await expect(buy(user, proxyId)).rejects.toMatchObject({
      status: 402,
      code: 'SMALL_BALANCE',
      message: 'Small balance',
    });
    const [row] = await testApp.database.query<{ connectionId: string | null }>(
      'select connection_id as "connectionId" from proxies where id = $1',
      [proxyId],
    );
    expect(row?.connectionId).toBeNull();
    expect(await balanceOf(testApp, user)).toBe(399_999n);
  });

  test('a balance of exactly price/2 is enough', async () => {
    const user = await createUser(testApp, { balanceMicros: 400_000n });
    expect((await buy(user)).currentBalance).toBe(0);
  });

  test.each([100n, 12_300n, 799_900n, 100_000_000n])(
    'costs half of the price of 100 MB, to the micro-dollar: %s',
    async (priceMicros) => {
      const balanceMicros = 60n * DOLLAR;
      const user = await createUser(testApp, { balanceMicros });
      const id = await createProxy(testApp, { priceMicros });
      const { data } = await user.call(connect, { body: { id, price: toDollars(priceMicros) } });
      expect(data).toMatchObject({ price: toDollars(priceMicros), paidFor: toDollars(prepaidPrice(priceMicros)) });
      expect(await balanceOf(testApp, user)).toBe(balanceMicros - prepaidPrice(priceMicros));
      expect(data.currentBalance).toBe(toDollars(balanceMicros - prepaidPrice(priceMicros)));
    },
  );

  test('refuses a price that is out of date', async () => {
    const user = await rich();
    const id = await createProxy(testApp);
    await expect(user.call(connect, { body: { id, price: 0.7 } })).rejects.toMatchObject({
      status: 409,
      code: 'PRICE_CHANGED',
    });
  });

  test('refuses unknown, sold and unhealthy proxies with the same error', async () => {
    const [user, other] = [await rich(), await rich()];
    const sold = await createProxy(testApp);
    await buy(other, sold);
    for (const id of [randomUUID(), sold, await createProxy(testApp, { isHealthy: false })])
      await expect(buy(user, id)).rejects.toMatchObject({
        status: 404,
        code: 'PROXY_NOT_FOUND',
        message: 'Proxy not found',
      });
    expect(await balanceOf(testApp, user)).toBe(10n * DOLLAR);
  });

  test('a repeat with the same idempotency key returns the same connection and charges once', async () => {
    const user = await rich();
    const body = { id: await createProxy(testApp), price: 0.8 };
    const headers = { 'idempotency-key': randomUUID() };
    const answers = await Promise.all([1, 2, 3, 4].map(() => user.call(connect, { body }, { headers })));
    expect(new Set(answers.map((answer) => answer.data.id)).size).toBe(1);
    expect(await balanceOf(testApp, user)).toBe(9_600_000n);
    const others = [
      { ...body, id: await createProxy(testApp) },
      { ...body, price: 0.9 },
      { ...body, capMegabytes: 60 },
    ];
    for (const other of others)
      await expect(user.call(connect, { body: other }, { headers })).rejects.toMatchObject({
        status: 409,
        code: 'IDEMPOTENCY_KEY_REUSED',
      });
    expect(await balanceOf(testApp, user)).toBe(9_600_000n);
  });

  const [BUYERS, PROXIES] = [scaled(20, 100), scaled(2, 10)];
  test(
    `${BUYERS} buyers of ${PROXIES} proxies: one of ten succeeds, the others get PROXY_NOT_FOUND and pay nothing`,
    { tags: ['long'] },
    async () => {
      const proxyIds = await Promise.all(Array.from({ length: PROXIES }, () => createProxy(testApp)));
      const buyers = await Promise.all(
        Array.from({ length: BUYERS }, () => createUser(testApp, { balanceMicros: DOLLAR })),
      );
      const results = await Promise.all(
        buyers.map((buyer, index) =>
          buyer.call(connect, { body: { id: proxyIds[index % PROXIES]!, price: 0.8 } }).then(
            () => 'won',
            (error: { code: string }) => error.code,
          ),
        ),
      );
      expect(results.filter((result) => result === 'won')).toHaveLength(PROXIES);
      expect(results.filter((result) => result === 'PROXY_NOT_FOUND')).toHaveLength(BUYERS - PROXIES);
      for (const [index, buyer] of buyers.entries())
        expect(await balanceOf(testApp, buyer)).toBe(results[index] === 'won' ? 600_000n : DOLLAR);
    },
  );

  test('concurrent purchases of one user never make the balance negative', async () => {
    const user = await createUser(testApp, { balanceMicros: DOLLAR });
    const results = await Promise.all(
      Array.from({ length: 6 }, () =>
        buy(user).then(
          () => 'won',
          (error: { code: string }) => error.code,
        ),
      ),
    );
    expect(results.filter((result) => result === 'won')).toHaveLength(2);
    expect(results.filter((result) => result === 'SMALL_BALANCE')).toHaveLength(4);
    expect(await balanceOf(testApp, user)).toBe(200_000n);
  });

  test('requires a token and a valid body, and names the invalid field', async () => {
    await expect(testApp.call(connect, { body: { id: randomUUID(), price: 1 } })).rejects.toMatchObject({
      status: 401,
    });
    const user = await rich();
    const bad = user.call(connect, { body: { id: 'x', price: '1', extra: true } as never });
    await expect(bad).rejects.toMatchObject({ status: 400, code: 'VALIDATION' });
    const paths = await bad.catch((error: { body: { details: { path: string }[] } }) =>
      error.body.details.map((d) => d.path),
    );
    expect(paths).toEqual(expect.arrayContaining(['body.id', 'body.price', 'body.extra']));
  });
});

describe('disconnect', () => {
  test('refunds everything when nothing was used, and the proxy returns to the catalogue', async () => {
    const user = await rich();
    const city = randomUUID();
    const connection = await buy(user, await createProxy(testApp, { city }));
    const { data } = await user.call(disconnect, { params: { id: connection.id } });
    expect(data).toMatchObject({
      status: 'DISCONNECT_USER',
      endReason: 'USER',
      refundStatus: 'REFUNDED',
      paidFor: 0,
      currentBalance: 10,
    });
    expect(data.disconnectAt).not.toBeNull();
    expect((await user.call(searchProxies, { query: { city: [city] } })).data).toHaveLength(1);
  });

  test('within 30 minutes charges the started megabytes', async () => {
    const user = await rich();
    const connection = await buy(user);
    const run = createGatewayRun(testApp);
    await run.authorize(connection);
    await run.report(connection.id, 5 * MB + 1);
    const ending = user.call(disconnect, { params: { id: connection.id } });
    // The gateway learns of the end with its next report, and sends its last total.
    await expect.poll(() => run.report(connection.id, 5 * MB + 1).then((credit) => credit.state)).toBe('ended');
    await run.end(connection.id, 6 * MB + 1);
    const { data } = await ending;
    expect(data).toMatchObject({
      paidFor: 0.056,
      refundStatus: 'REFUNDED',
      trafficUsed: 6 * 1024 + 1 / 1024,
      currentBalance: 9.944,
    });
    expect(await balanceOf(testApp, user)).toBe(9_944_000n);
  });

  test('after 30 minutes nothing is refunded', async () => {
    const user = await rich();
    const connection = await buy(user);
    await age(connection.id, '30 minutes');
    const { data } = await user.call(disconnect, { params: { id: connection.id } });
    expect(data).toMatchObject({ paidFor: 0.4, refundStatus: 'NONE', currentBalance: 9.6 });
  });

  test('the refund window depends on when the end was requested, not on when the last report came', async () => {
    const user = await rich();
    const [early, late] = [await buy(user), await buy(user)];
    // Requested 10 seconds ago, 5 seconds before and after the connection was 30 minutes old.
    for (const [connection, boughtBefore] of [
      [early, '30 minutes 5 seconds'],
      [late, '30 minutes 15 seconds'],
    ] as const) {
      await createGatewayRun(testApp).authorize(connection);
      await age(connection.id, boughtBefore);
      await testApp.database.query(
        "update connections set ending_reason = 'USER', ending_at = now() - interval '10 seconds' where id = $1",
        [connection.id],
      );
    }
    await endIdleConnections(testApp.ctx);
    const { data } = await user.call(listConnections, { query: {} });
    expect(data.map(({ id, refundStatus, paidFor }) => [id, refundStatus, paidFor])).toEqual(
      expect.arrayContaining([
        [early.id, 'REFUNDED', 0],
        [late.id, 'NONE', 0.4],
      ]),
    );
  });

  test('bills the reported bytes when the gateway does not respond', async () => {
    const user = await rich();
    const connection = await buy(user);
    const run = createGatewayRun(testApp);
    await run.authorize(connection);
    await run.report(connection.id, 2 * MB);
    await run.fallSilent('1 minute');
    const { data } = await user.call(disconnect, { params: { id: connection.id } });
    expect(data).toMatchObject({ status: 'DISCONNECT_USER', paidFor: 0.016 });
    // A report after the bill changes nothing.
    expect((await run.report(connection.id, 9 * MB)).state).toBe('ended');
    await run.end(connection.id, 9 * MB);
    expect(await balanceOf(testApp, user)).toBe(9_984_000n);
  });

  test('waits for the last report of every gateway that has the connection open', async () => {
    const user = await rich();
    const connection = await buy(user);
    await testApp.database.query(
      "insert into gateway_nodes (name, token_hash) values ('second', sha256('second-token'))",
    );
    const [first, second] = [createGatewayRun(testApp), createGatewayRun(testApp, 'second-token')];
    await first.authorize(connection);
    // The exit moves, so that both have the connection open.
    const exitId = await createExit(testApp, 'second');
    await testApp.database.query('update connections set exit_id = $2 where id = $1', [connection.id, exitId]);
    await second.authorize(connection);
    const ending = user.call(disconnect, { params: { id: connection.id } });
    await expect.poll(() => first.report(connection.id, 2 * MB).then((credit) => credit.state)).toBe('ended');
    await first.end(connection.id, 2 * MB);
    expect((await user.call(listConnections, { query: {} })).data[0]?.status).toBe('WORK');
    await second.end(connection.id, MB);
    expect((await ending).data).toMatchObject({ status: 'DISCONNECT_USER', paidFor: 0.024, trafficUsed: 3 * 1024 });
  });

  test('a worker bills the connection when the API died while it waited for the last report', async () => {
    const user = await rich();
    const connection = await buy(user);
    await createGatewayRun(testApp).authorize(connection);
    await testApp.database.query(
      "update connections set ending_reason = 'USER', ending_at = now() - interval '10 seconds' where id = $1",
      [connection.id],
    );
    await endIdleConnections(testApp.ctx);
    const { data } = await user.call(listConnections, { query: {} });
    expect(data[0]).toMatchObject({ status: 'DISCONNECT_USER', refundStatus: 'REFUNDED' });
  });

  test('works once: a second request is refused and moves no money', async () => {
    const user = await rich();
    const connection = await buy(user);
    await user.call(disconnect, { params: { id: connection.id } });
    await expect(user.call(disconnect, { params: { id: connection.id } })).rejects.toMatchObject({
      status: 409,
      code: 'NOT_CONNECTED',
    });
    expect(await balanceOf(testApp, user)).toBe(10n * DOLLAR);
  });

  test('concurrent requests cause one refund', async () => {
    const user = await rich();
    const connection = await buy(user);
    const results = await Promise.allSettled(
      [1, 2, 3, 4].map(() => user.call(disconnect, { params: { id: connection.id } })),
    );
    expect(results.filter((result) => result.status === 'fulfilled')).toHaveLength(1);
    expect(await balanceOf(testApp, user)).toBe(10n * DOLLAR);
  });

  test('returns NOT_FOUND for a connection of another user', async () => {
    const connection = await buy(await rich());
    const stranger = await rich();
    await expect(stranger.call(disconnect, { params: { id: connection.id } })).rejects.toMatchObject({
      status: 404,
      message: 'Connection not found',
    });
  });

  test('staff with the permission end it as DISCONNECT_ADMIN; others may not', async () => {
    const user = await rich();
    const connection = await buy(user);
    const support = await createUser(testApp, { roleName: 'SUPPORT' });
    const call = (by: TestUser) =>
      by.call(endAnyConnection, { params: { id: connection.id }, body: { reason: 'abuse reports' } });
    for (const by of [user, support]) await expect(call(by)).rejects.toMatchObject({ status: 403, code: 'FORBIDDEN' });
    const admin = await createUser(testApp, { roleName: 'ADMIN' });
    expect((await call(admin)).data).toMatchObject({
      status: 'DISCONNECT_ADMIN',
      endReason: 'ADMIN',
      user: { id: user.id },
    });
    const [entry] = await testApp.database.query(
      `select action, subject_id as "subjectId", user_id as "userId", details from audit_log where actor_id = $1
        order by id desc limit 1`,
      [admin.id],
    );
    const details = { reason: 'abuse reports' };
    expect(entry).toEqual({ action: 'CONNECTION_ENDED', subjectId: connection.id, userId: user.id, details });
    const withoutBody = await fetch(`${testApp.url}/v1/proxies/connections/admin/${connection.id}/disconnect`, {
      method: 'POST',
      headers: admin.headers,
    });
    expect(await withoutBody.json()).toMatchObject({ code: 'NOT_CONNECTED' });
    await expect(admin.call(endAnyConnection, { params: { id: randomUUID() }, body: {} })).rejects.toMatchObject({
      status: 404,
    });
  });
});

describe('idle connections', () => {
  test('end as NOT_WORK after 30 minutes with less than 1 KiB, without a refund', async () => {
    const user = await rich();
    const connection = await buy(user);
    await age(connection.id, '29 minutes');
    await endIdleConnections(testApp.ctx);
    expect((await user.call(listConnections, { query: {} })).data[0]?.status).toBe('WORK');
    await age(connection.id, '61 seconds');
    await endIdleConnections(testApp.ctx);
    expect((await user.call(listConnections, { query: {} })).data[0]).toMatchObject({
      status: 'NOT_WORK',
      endReason: 'IDLE',
      refundStatus: 'NONE',
      paidFor: 0.4,
    });
  });

  test('one that had traffic after it was found idle stays open', async () => {
    const user = await rich();
    const connection = await buy(user);
    await endIdle(testApp.ctx, connection.id);
    expect((await user.call(listConnections, { query: {} })).data[0]?.status).toBe('WORK');
    await age(connection.id, '31 minutes');
    await endIdle(testApp.ctx, connection.id);
    expect((await user.call(listConnections, { query: {} })).data[0]?.status).toBe('NOT_WORK');
  });

  test('a failure to end one does not affect the others', async () => {
    const user = await rich();
    const [broken, other] = [await buy(user), await buy(user)];
    await age(broken.id, '40 minutes');
    await age(other.id, '31 minutes');
    // Its hold is wrong, so the database refuses to release it.
    await testApp.database.query('update connections set granted_bytes = 99 * 1048576 where id = $1', [broken.id]);
    await endIdleConnections(testApp.ctx);
    const { data } = await user.call(listConnections, { query: {} });
    const statusOf = (id: string) => data.find((connection) => connection.id === id)?.status;
    expect([statusOf(broken.id), statusOf(other.id)]).toEqual(['WORK', 'NOT_WORK']);
    await testApp.database.query('update connections set granted_bytes = 0 where id = $1', [broken.id]);
  });

  test('1 KiB of traffic restarts the idle time, a byte less does not', async () => {
    const user = await rich();
    const [kept, ended] = [await buy(user), await buy(user)];
    const run = createGatewayRun(testApp);
    for (const [connection, usedBytes] of [
      [kept, 1024],
      [ended, 1023],
    ] as const) {
      await run.authorize(connection);
      await age(connection.id, '31 minutes');
      await run.report(connection.id, usedBytes);
    }
    await endIdleConnections(testApp.ctx);
    await run.end(ended.id, 1023);
    const { data } = await user.call(listConnections, { query: {} });
    const statusOf = (id: string) => data.find((connection) => connection.id === id)?.status;
    expect([statusOf(kept.id), statusOf(ended.id)]).toEqual(['WORK', 'NOT_WORK']);
  });
});

describe('lists', () => {
  test("are paged, newest first, and contain only the user's own connections", async () => {
    const user = await rich();
    const ids = [(await buy(user)).id, (await buy(user)).id, (await buy(user)).id];
    const first = await user.call(listConnections, { query: { size: 2 } });
    expect(first.totalPages).toBe(2);
    expect(first.data.map((connection) => connection.id)).toEqual([ids[2], ids[1]]);
    const second = await user.call(listConnections, { query: { page: 2, size: 2 } });
    expect(second.data.map((connection) => connection.id)).toEqual([ids[0]]);
    expect(await (await rich()).call(listConnections, { query: {} })).toEqual({ data: [], totalPages: 0 });
  });

  test.each([{ page: 0 }, { page: -1 }, { size: 0 }, { size: 101 }, { page: 1.5 }])('refuse %j', async (query) => {
    const user = await rich();
    await expect(user.call(listConnections, { query })).rejects.toMatchObject({ status: 400, code: 'VALIDATION' });
  });

  test('staff see all connections or those of one user, without passwords', async () => {
    const user = await rich();
    const connection = await buy(user);
    const support = await createUser(testApp, { roleName: 'SUPPORT' });
    const { data } = await support.call(listAllConnections, { query: { userId: user.id } });
    expect(data).toHaveLength(1);
    expect(data[0]).toMatchObject({ id: connection.id, user: { id: user.id, email: user.email } });
    expect(data[0]).not.toHaveProperty('password');
    await expect(user.call(listAllConnections, { query: {} })).rejects.toMatchObject({ status: 403 });
  });
});
