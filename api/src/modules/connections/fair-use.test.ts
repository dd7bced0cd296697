import {
  connect,
  disconnect,
  disconnectWithoutRefund,
  listConnections,
  type Connection,
} from '@cellhop/contract/connections';
import { endAnyConnection } from '@cellhop/contract/staff/connections';
import type { ApiError } from '@cellhop/contract/client';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { balanceOf, createProxy, createUser, type TestUser } from '../../../test/factories.ts';
import { createGatewayRun } from '../../../test/gateway-client.ts';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { checkInvariants } from '../../db/check-invariants.ts';
import { registerNode } from '../gateway/gateway.service.ts';

const LIMITS = { openConnectionsMax: 5, purchasesPerHour: 8, unusedReturnsPerHour: 3 };
const PREPAID_MICROS = 400_000n;
const BALANCE_MICROS = 10_000_000n;

let testApp: TestApp;
beforeAll(async () => {
  testApp = await startTestApp(LIMITS);
  await registerNode(testApp.ctx);
});
afterAll(async () => {
  expect(await checkInvariants(testApp.ctx)).toEqual([]);
  await testApp.stop();
});

const newUser = () => createUser(testApp, { balanceMicros: BALANCE_MICROS });
const buy = async (user: TestUser, headers: Record<string, string> = {}, id?: string): Promise<Connection> =>
  (await user.call(connect, { body: { id: id ?? (await createProxy(testApp)), price: 0.8 } }, { headers })).data;
const buyMany = async (user: TestUser, count: number): Promise<Connection[]> => {
  const bought: Connection[] = [];
  while (bought.length < count) bought.push(await buy(user));
  return bought;
};
const returnUnused = (user: TestUser, { id }: Connection) => user.call(disconnect, { params: { id } });
/** Ends a connection in a way that no limit counts. */
const endAsAdmin = async ({ id }: Connection) => {
  const admin = await createUser(testApp, { roleName: 'ADMIN' });
  await admin.call(endAnyConnection, { params: { id }, body: {} });
};
const codesOf = (results: PromiseSettledResult<unknown>[]) =>
  results.map((result) => (result.status === 'fulfilled' ? 'DONE' : (result.reason as ApiError).code)).sort();
const minutesPass = (user: TestUser, minutes: number) =>
  testApp.database.query(
    `update connections set created_at = created_at - make_interval(mins => $2),
            ending_at = ending_at - make_interval(mins => $2), ended_at = ended_at - make_interval(mins => $2)
      where user_id = $1`,
    [user.id, minutes],
  );
const listOf = async (user: TestUser) => (await user.call(listConnections, { query: {} })).data;

describe('open connections', () => {
  test('of one user never exceed the limit, even with concurrent purchases', async () => {
    const user = await newUser();
    const results = await Promise.allSettled(Array.from({ length: 8 }, () => buy(user)));
    expect(codesOf(results)).toEqual([
      ...Array.from({ length: 5 }, () => 'DONE'),
      ...Array.from({ length: 3 }, () => 'TOO_MANY_CONNECTIONS'),
    ]);
    expect(await balanceOf(testApp, user)).toBe(BALANCE_MICROS - 5n * PREPAID_MICROS);
  });

  test('beyond the limit are refused with Retry-After and change nothing; a connection that ends makes room', async () => {
    const user = await newUser();
    const [first] = await buyMany(user, 5);
    const id = await createProxy(testApp);
    await expect(buy(user, {}, id)).rejects.toMatchObject({
      status: 429,
      code: 'TOO_MANY_CONNECTIONS',
      message: 'Too many open connections',
      retryAfterSeconds: 60,
    });
    expect(await balanceOf(testApp, user)).toBe(BALANCE_MICROS - 5n * PREPAID_MICROS);
    await returnUnused(user, first!);
    expect((await buy(user, {}, id)).status).toBe('WORK');
  });

  test('of others do not count', async () => {
    await buyMany(await newUser(), 5);
    expect(await buyMany(await newUser(), 5)).toHaveLength(5);
  });
});

describe('purchases', () => {
  test(
    'of one user within an hour never exceed the limit, even if they have ended',
    { tags: ['thorough'] },
    async () => {
      const user = await newUser();
      for (const connection of await buyMany(user, 5)) await endAsAdmin(connection);
      const results = await Promise.allSettled(Array.from({ length: 5 }, () => buy(user)));
      expect(codesOf(results)).toEqual(['DONE', 'DONE', 'DONE', 'RATE_LIMITED', 'RATE_LIMITED']);
      const refused = results.find((result) => result.status === 'rejected');
      expect(refused!.reason).toMatchObject({ status: 429, retryAfterSeconds: expect.any(Number) });
      const { retryAfterSeconds } = refused!.reason as ApiError;
      expect(retryAfterSeconds).toBeGreaterThan(3500);
      expect(retryAfterSeconds).toBeLessThanOrEqual(3600);
      await minutesPass(user, 59);
      await expect(buy(user)).rejects.toMatchObject({ code: 'RATE_LIMITED' });
      await minutesPass(user, 1);
      expect((await buy(user)).status).toBe('WORK');
    },
  );

  test('return their result at the limit when they are repeated with their idempotency key', async () => {
    const user = await newUser();
    const headers = { 'idempotency-key': randomUUID() };
    const id = await createProxy(testApp);
    const first = await buy(user, headers, id);
    await buyMany(user, 4);
    await expect(buy(user)).rejects.toMatchObject({ code: 'TOO_MANY_CONNECTIONS' });
    expect((await buy(user, headers, id)).id).toBe(first.id);
  });
});

describe('connections that are returned unused', () => {
  test(
    'are refunded up to the limit, even when returned concurrently; the others stay open',
    { tags: ['thorough'] },
    async () => {
      const user = await newUser();
      const bought = await buyMany(user, 5);
      const results = await Promise.allSettled(bought.map((connection) => returnUnused(user, connection)));
      expect(codesOf(results)).toEqual(['DONE', 'DONE', 'DONE', 'RATE_LIMITED', 'RATE_LIMITED']);
      expect((await listOf(user)).filter(({ status }) => status === 'WORK')).toHaveLength(2);
      expect(await balanceOf(testApp, user)).toBe(BALANCE_MICROS - 2n * PREPAID_MICROS);
    },
  );

  test('too often are refused with Retry-After; after that time, within the refund window, they are fully refunded', async () => {
    const user = await newUser();
    for (const connection of await buyMany(user, 3)) await returnUnused(user, connection);
    await minutesPass(user, 50);
    const connection = await buy(user);
    await expect(returnUnused(user, connection)).rejects.toMatchObject({ status: 429, code: 'RATE_LIMITED' });
    const { retryAfterSeconds } = (await returnUnused(user, connection).catch((error: unknown) => error)) as ApiError;
    expect(retryAfterSeconds).toBeGreaterThan(500);
    expect(retryAfterSeconds).toBeLessThanOrEqual(600);
    await minutesPass(user, 10);
    expect((await returnUnused(user, connection)).data).toMatchObject({
      status: 'DISCONNECT_USER',
      refundStatus: 'REFUNDED',
    });
    expect(await balanceOf(testApp, user)).toBe(BALANCE_MICROS);
  });

  test('can always be ended without a refund', async () => {
    const user = await newUser();
    const bought = await buyMany(user, 4);
    for (const connection of bought.slice(0, 3)) await returnUnused(user, connection);
    const { id } = bought[3]!;
    await expect(returnUnused(user, bought[3]!)).rejects.toMatchObject({ code: 'RATE_LIMITED' });
    const { data } = await user.call(disconnectWithoutRefund, { params: { id } });
    expect(data).toMatchObject({ status: 'DISCONNECT_USER', endReason: 'USER', refundStatus: 'NONE', paidFor: 0.4 });
    expect(await balanceOf(testApp, user)).toBe(BALANCE_MICROS - PREPAID_MICROS);
    const stranger = await newUser();
    const foreign = await buy(stranger);
    await expect(user.call(disconnectWithoutRefund, { params: { id: foreign.id } })).rejects.toMatchObject({
      status: 404,
    });
    await expect(user.call(disconnectWithoutRefund, { params: { id } })).rejects.toMatchObject({
      code: 'NOT_CONNECTED',
    });
  });

  test('without a refund get none when the last report of a gateway closes them', async () => {
    const user = await newUser();
    const connection = await buy(user);
    const run = createGatewayRun(testApp);
    await run.authorize(connection);
    const ending = user.call(disconnectWithoutRefund, { params: { id: connection.id } });
    await expect
      .poll(async () =>
        testApp.database.query('select from connections where id = $1 and ending_at is not null', [connection.id]),
      )
      .toHaveLength(1);
    await run.end(connection.id, 1);
    expect((await ending).data).toMatchObject({ refundStatus: 'NONE', paidFor: 0.4 });
  });

  test(
    'count only if they were unused and refunded; used ones, old ones and ends by others do not count',
    { tags: ['thorough'] },
    async () => {
      const user = await newUser();
      const [used, old, ...others] = await buyMany(user, 5);
      const run = createGatewayRun(testApp);
      await run.authorize(used!);
      await run.end(used!.id, 1);
      await returnUnused(user, used!);
      await testApp.database.query(
        `update connections set created_at = created_at - interval '30 minutes' where id = $1`,
        [old!.id],
      );
      expect((await returnUnused(user, old!)).data.refundStatus).toBe('NONE');
      await endAsAdmin(others[0]!);
      for (const connection of others.slice(1)) await returnUnused(user, connection);
      await returnUnused(user, await buy(user));
      const last = await buy(user);
      await expect(returnUnused(user, last)).rejects.toMatchObject({ code: 'RATE_LIMITED' });
      // Connections with traffic or after the refund window are not refused.
      await run.authorize(last);
      await run.end(last.id, 1);
      expect((await returnUnused(user, last)).data.refundStatus).toBe('REFUNDED');
      const late = await buy(user);
      await testApp.database.query(
        `update connections set created_at = created_at - interval '30 minutes' where id = $1`,
        [late.id],
      );
      expect((await returnUnused(user, late)).data.refundStatus).toBe('NONE');
    },
  );
});
