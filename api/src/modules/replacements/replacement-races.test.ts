/**
 * What happens between the request and the last report, and by processes of the last release.
 * @module-tag thorough
 */
import { changeConnection, connect, disconnect, listConnections } from '@cellhop/contract/connections';
import { replaceConnection } from '@cellhop/contract/replacements';
import { rotateConnection } from '@cellhop/contract/rotation';
import { changeExitRotation } from '@cellhop/contract/staff/exit-rotation';
import { changeUserStatus } from '@cellhop/contract/staff/users';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { balanceOf, createUser, spend, topUp } from '../../../test/factories.ts';
import { closeAsLastRelease, createReplaceable, MB } from '../../../test/replaced-connections.ts';
import { startSecondApp, startTestApp, type TestApp } from '../../../test/test-app.ts';
import { createTestClient } from '../../../test/test-client.ts';
import { checkInvariants } from '../../db/check-invariants.ts';
import { endConnection } from '../billing/ending.service.ts';
import { endIdleConnections } from '../billing/end-idle-connections.service.ts';

const PREPAID = 400_000n;
const MEGABYTE = 8_000n;

let testApp: TestApp;
beforeAll(async () => {
  // An end waits some seconds for the last report, which a busy machine may deliver later.
  vi.useFakeTimers({ toFake: ['performance'] });
  testApp = await startTestApp({ unusedReturnsPerHour: 3, openConnectionsMax: 1, purchasesPerHour: 6 });
});
afterAll(async () => {
  vi.useRealTimers();
  expect(await checkInvariants(testApp.ctx)).toEqual([]);
  await testApp.stop();
});

const create = (balanceMicros?: bigint) => createReplaceable(testApp, balanceMicros);
/** With a free proxy, a failed check and a gateway that serves it. */
async function createServed(balanceMicros?: bigint) {
  const created = await create(balanceMicros);
  const spare = await created.addSpare();
  await created.serve();
  await created.fail();
  return { ...created, spare };
}
const connectionsOf = async (user: Awaited<ReturnType<typeof createUser>>) =>
  (await user.call(listConnections, { query: {} })).data.map(({ status, endReason }) => endReason ?? status);

describe('until the last report', () => {
  test('the last free proxy is sold: the connection ends with the refund, and its owner is told', async () => {
    const { user, connection, run, spare, beginReplacement, notifications } = await createServed();
    const { replaced } = await beginReplacement();
    const other = await createUser(testApp, { balanceMicros: PREPAID });
    await other.call(connect, { body: { id: spare, price: 0.8 } });
    await run.end(connection.id, 1);
    expect(await replaced).toMatchObject({
      isReplaced: false,
      refund: 0.392,
      currentBalance: 9.992,
      connection: { id: connection.id, status: 'DISCONNECT_USER', refundStatus: 'REFUNDED', paidFor: 0.008 },
    });
    expect(await notifications()).toEqual([
      {
        description: `Proxy <a href="/connection-history">${connection.ip}</a> has been disconnected without a replacement: the last free proxy of its kind has just been sold.`,
        content:
          '<b>$0.39</b> for unused traffic has been refunded to your balance. <a href="/proxies">Choose another proxy</a>.',
      },
    ]);
    expect(await connectionsOf(user)).toEqual(['USER']);
  });

  test('the balance is spent: the connection ends with the refund, and its owner is told', async () => {
    const { user, connection, run, beginReplacement, notifications } = await createServed(PREPAID);
    const { replaced } = await beginReplacement();
    await run.end(connection.id, MB);
    expect(await replaced).toMatchObject({ isReplaced: false, refund: 0.392, currentBalance: 0.392 });
    const [{ description, content }] = (await notifications()) as [{ description: string; content: string }];
    expect(description).toContain('your balance no longer covers one.');
    expect(content).toContain('<a href="/payments/invoices?create=true">Top up</a>');
    expect(await balanceOf(testApp, user)).toBe(PREPAID - MEGABYTE);
  });

  test('no report comes: the worker closes the connection and buys the next one', async () => {
    const { user, connection, beginReplacement } = await createServed();
    const { replaced } = await beginReplacement();
    await testApp.database.query(`update connections set ending_at = ending_at - interval '7 seconds' where id = $1`, [
      connection.id,
    ]);
    await endIdleConnections(testApp.ctx);
    expect(await replaced).toMatchObject({ isReplaced: true, refund: 0.4 });
    expect(await connectionsOf(user)).toEqual(['WORK', 'USER']);
  });

  test('a disconnect and a lost exit change nothing: the first request decides', async () => {
    const { user, connection, run, beginReplacement } = await createServed();
    const { replaced } = await beginReplacement();
    const asked = Promise.withResolvers<void>();
    const disconnected = endConnection(testApp.ctx, connection.id, 'USER', { alsoIn: async () => asked.resolve() });
    await asked.promise;
    await run.report(connection.id, MB, 0, { isExitLost: true });
    await run.end(connection.id, MB);
    await disconnected;
    expect(await connectionsOf(user)).toEqual(['WORK', 'USER']);
    expect(await replaced).toMatchObject({ isReplaced: true, refund: 0.392 });
  });

  test('its address is changed: that goes on at the exit, and the next connection has nothing of it', async () => {
    const { user, node, exit, connection, run, serve, beginReplacement } = await createServed();
    const admin = await createUser(testApp, { roleName: 'ADMIN' });
    const link = { method: 'GET', url: 'https://farm.test/rotate?modem=7' } as const;
    const body = { link, cooldownSeconds: null, changesPerHour: null };
    await admin.call(changeExitRotation, { params: { id: exit.id }, body });
    await node.greet(undefined, run.runId);
    await serve();
    await user.call(changeConnection, { params: { id: connection.id }, body: { rotateEveryMinutes: 10 } });
    const { replaced } = await beginReplacement();
    // Ordered after the request: the connection is still open.
    const { data } = await user.call(rotateConnection, { params: { id: connection.id } });
    expect(data.state).toBe('ROTATING');
    await run.end(connection.id, 0);
    const { isReplaced, refund, connection: successor } = await replaced;
    expect({ isReplaced, refund, rotation: successor.rotation }).toEqual({
      isReplaced: true,
      refund: 0.4,
      rotation: null,
    });
    await expect(user.call(rotateConnection, { params: { id: connection.id } })).rejects.toMatchObject({
      code: 'NOT_CONNECTED',
    });
    expect((await node.exchange({ rotationsWanted: 1 })).rotatingIds).toEqual([exit.id]);
  });

  test('the owner is blocked: nothing is bought, and what was paid comes back', async () => {
    const { user, connection, run, beginReplacement } = await createServed();
    const { replaced } = await beginReplacement();
    const admin = await createUser(testApp, { roleName: 'ADMIN' });
    const body = { status: 'BLOCKED', reason: 'abuse' } as const;
    const blocked = admin.call(changeUserStatus, { params: { id: user.id }, body });
    await expect
      .poll(() => testApp.database.query(`select from users where id = $1 and status = 'BLOCKED'`, [user.id]))
      .toHaveLength(1);
    await run.end(connection.id, 0);
    await Promise.all([blocked, replaced]);
    expect(await balanceOf(testApp, user)).toBe(10_000_000n);
    const rows = await testApp.database.query('select status from connections where user_id = $1', [user.id]);
    expect(rows).toEqual([{ status: 'DISCONNECT_USER' }]);
  });
});

describe('several requests', () => {
  test('at once, of several processes, and repeated ones replace a connection once', async () => {
    const { user, connection, run, addSpare } = await createServed();
    await addSpare();
    const second = await startSecondApp(testApp);
    const call = createTestClient({ baseUrl: second.url, headers: () => user.headers });
    const params = { id: connection.id };
    const asked = [user.call, call, user.call, call].map((each) => each(replaceConnection, { params }));
    await expect
      .poll(() =>
        testApp.database.query('select from connections where id = $1 and ending_at is not null', [params.id]),
      )
      .toHaveLength(1);
    await run.end(connection.id, MB);
    const answers = (await Promise.all(asked)).map(({ data }) => data);
    answers.push((await call(replaceConnection, { params })).data);
    await second.stop();
    expect(new Set(answers.map((each) => each.connection.id)).size).toBe(1);
    expect(answers.every(({ isReplaced, refund }) => isReplaced && refund === 0.392)).toBe(true);
    expect(await balanceOf(testApp, user)).toBe(10_000_000n - MEGABYTE - PREPAID);
    expect(await connectionsOf(user)).toEqual(['WORK', 'USER']);
  });

  test('of several customers share the free proxies; those who get none are refunded and told', async () => {
    const first = await createServed(PREPAID);
    await first.addSpare();
    const others = [await create(PREPAID), await create(PREPAID), await create(PREPAID)];
    for (const { exit, serve, fail } of others) {
      await testApp.database.query('update proxies set country_code = $2 where id = $1', [
        exit.proxyId,
        first.exit.countryCode,
      ]);
      await serve();
      await fail();
    }
    const all = [first, ...others];
    const begun = await Promise.all(all.map(({ beginReplacement }) => beginReplacement()));
    await Promise.all(all.map(({ run, connection }) => run.end(connection.id, 0)));
    const answers = await Promise.all(begun.map(({ replaced }) => replaced));
    expect(answers.filter(({ isReplaced }) => isReplaced)).toHaveLength(2);
    for (const [index, { isReplaced, currentBalance }] of answers.entries()) {
      expect(currentBalance).toBe(isReplaced ? 0 : 0.4);
      expect(await all[index]!.notifications()).toHaveLength(isReplaced ? 0 : 1);
    }
    const sold = await testApp.database.query(
      `select proxy_id from connections where id = any($1) group by proxy_id having count(*) > 1`,
      [answers.map(({ connection }) => connection.id)],
    );
    expect(sold).toEqual([]);
  });

  test('after a disconnect are refused', async () => {
    const { user, connection, run, replace, show } = await createServed();
    const disconnected = user.call(disconnect, { params: { id: connection.id } });
    await expect
      .poll(() =>
        testApp.database.query('select from connections where id = $1 and ending_at is not null', [connection.id]),
      )
      .toHaveLength(1);
    await expect(replace()).rejects.toMatchObject({ code: 'NOT_CONNECTED' });
    await run.end(connection.id, 0);
    await disconnected;
    expect(await show()).toMatchObject({ endReason: 'USER' });
    expect(await connectionsOf(user)).toEqual(['USER']);
  });
});

test('replacements count for the limit of unused returns, not for those of purchases and open connections', async () => {
  const user = await createUser(testApp, { balanceMicros: 10_000_000n });
  // Each ends before the next one is bought: only one may be open.
  for (let time = 0; time < 3; time += 1) {
    const { addSpare, fail, replace } = await createReplaceable(testApp, 0n, user);
    await addSpare();
    await fail();
    const { connection } = await replace();
    await testApp.database.query(
      `update connections set first_bought_at = first_bought_at - interval '1 hour' where id = $1`,
      [connection.id],
    );
    await testApp.database.query(
      `update connections set created_at = created_at - interval '1 hour' where id = (select connection_id from replacements where new_connection_id = $1)`,
      [connection.id],
    );
    await user.call(disconnect, { params: { id: connection.id } });
  }
  await testApp.database.query(
    `update connections set created_at = created_at - interval '1 hour' where user_id = $1`,
    [user.id],
  );
  await testApp.database.query(
    `update connections set first_bought_at = first_bought_at - interval '1 hour' where user_id = $1`,
    [user.id],
  );
  const { addSpare, fail, replace, show } = await createReplaceable(testApp, 0n, user);
  await addSpare();
  await fail();
  await expect(replace()).rejects.toMatchObject({
    status: 429,
    code: 'RATE_LIMITED',
    retryAfterSeconds: expect.any(Number),
  });
  expect(await show()).toMatchObject({ status: 'WORK' });
});

/** What a process stores before it is killed. */
async function askAndVanish(id: string): Promise<void> {
  await testApp.database.query('insert into replacements (connection_id) values ($1)', [id]);
  await testApp.database.query(`update connections set ending_reason = 'EXIT_LOST', ending_at = now() where id = $1`, [
    id,
  ]);
}

describe('a connection that a process of the last release closes', () => {
  test('is refunded at any age, and replaced by the process that was asked', async () => {
    const { user, connection, beginReplacement } = await createServed();
    const { replaced } = await beginReplacement();
    await closeAsLastRelease(testApp.ctx, connection.id);
    expect(await replaced).toMatchObject({ isReplaced: true, refund: 0.4, currentBalance: 9.6 });
    expect(await connectionsOf(user)).toEqual(['WORK', 'EXIT_LOST']);
  });

  test('is replaced by a worker, if the process that was asked is gone', async () => {
    const { user, connection } = await createServed();
    await askAndVanish(connection.id);
    await closeAsLastRelease(testApp.ctx, connection.id);
    await Promise.all([endIdleConnections(testApp.ctx), endIdleConnections(testApp.ctx)]);
    expect(await connectionsOf(user)).toEqual(['WORK', 'EXIT_LOST']);
    expect(await balanceOf(testApp, user)).toBe(10_000_000n - PREPAID);
  });

  test('more than ten minutes ago is not: its owner is told', async () => {
    const { user, connection, notifications } = await createServed();
    await askAndVanish(connection.id);
    await closeAsLastRelease(testApp.ctx, connection.id);
    await testApp.database.query(
      `update replacements set requested_at = requested_at - interval '11 minutes' where connection_id = $1`,
      [connection.id],
    );
    await endIdleConnections(testApp.ctx);
    await endIdleConnections(testApp.ctx);
    expect(await connectionsOf(user)).toEqual(['EXIT_LOST']);
    expect(await balanceOf(testApp, user)).toBe(10_000_000n);
    expect(await notifications()).toHaveLength(1);
  });
});

test('staff have given all of it back: nothing comes back twice, and the next one is paid', async () => {
  const { user, connection, run, beginReplacement } = await createServed(PREPAID);
  await topUp(testApp, user.accountId, PREPAID);
  await testApp.database.query('update connections set staff_refunded_micros = 400000 where id = $1', [connection.id]);
  const { replaced } = await beginReplacement();
  await run.end(connection.id, 0);
  expect(await replaced).toMatchObject({ isReplaced: true, refund: 0, currentBalance: 0 });
  expect(await spend(testApp, user, PREPAID)).toBe(0n);
});
