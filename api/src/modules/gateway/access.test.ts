import { allowListSchema, changePassword, connect, disconnect } from '@cellhop/contract/connections';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createProxy, createUser, type TestUser } from '../../../test/factories.ts';
import { createGatewayRun, untilTold } from '../../../test/gateway-client.ts';
import { startSecondApp, startTestApp, type TestApp } from '../../../test/test-app.ts';
import { checkInvariants } from '../../db/check-invariants.ts';
import { setCap } from '../billing/cap.service.ts';
import { setAllowList } from '../connections/access.service.ts';
import { addNode, registerNode } from './gateway.service.ts';

const MB = 1_048_576;
const HOME = '198.51.100.7';

let testApp: TestApp;
let other: TestApp;
beforeAll(async () => {
  testApp = await startTestApp();
  await registerNode(testApp.ctx);
  other = await startSecondApp(testApp);
});
afterAll(async () => {
  expect(await checkInvariants(testApp.ctx)).toEqual([]);
  await other.stop();
  await testApp.stop();
});

/** A connection that is open in a run, and whose password was used from one address. */
async function open(clientAddress = HOME) {
  const user = await createUser(testApp, { balanceMicros: 1_000_000n });
  const body = { id: await createProxy(testApp), price: 0.8 };
  const { data: connection } = await untilTold(testApp, () => user.call(connect, { body }));
  const run = createGatewayRun(testApp);
  const authorization = await run.authorize(connection, clientAddress);
  await run.report(connection.id, 0);
  return { user, connection, run, authorization };
}

const actorOf = ({ id, accountId }: TestUser) => ({
  userId: id,
  sessionId: id,
  accountId,
  languageCode: 'en' as const,
  permissions: new Set<never>(),
  isSecondFactorDue: false,
});
const list = (user: TestUser, id: string, networks: string[], app = testApp) =>
  setAllowList(app.ctx, actorOf(user), id, allowListSchema.parse(networks));

const metrics = async () => (await fetch(`${testApp.url}/metrics`)).text();
const untilWaiting = async (count: number) => {
  await expect.poll(metrics).toContain(`gateway_calls_held ${count}`);
};

describe('a new password', () => {
  test.each(['this', 'another'])('is announced at once after a change in %s process of the API', async (which) => {
    const { user, connection, run } = await open();
    const notified = run.watch();
    await untilWaiting(1);
    const changedAt = performance.now();
    const app = which === 'this' ? testApp : other;
    const headers = { authorization: `Bearer ${user.token}` };
    const path = `/v1/proxies/connections/${connection.id}/credentials`;
    const response = await fetch(app.url + path, { method: 'POST', headers });
    const { data: changed } = (await response.json()) as { data: typeof connection };
    expect(await notified).toEqual({
      ended: [],
      changed: [{ connectionId: connection.id, access: { revision: 2, passwordRevision: 2, allowList: [] } }],
    });
    expect(performance.now() - changedAt).toBeLessThan(10_000);
    expect(changed).toMatchObject({ id: connection.id, username: connection.username });
    expect(await run.authorize(connection)).toEqual({ isAuthorized: false });
    expect(await run.authorize(changed)).toMatchObject({ isAuthorized: true, access: { passwordRevision: 2 } });
  });

  test('is in the response to the next report of a run with an older revision', async () => {
    const { user, connection, run } = await open();
    await user.call(changePassword, { params: connection });
    expect(await run.report(connection.id, 0, 0, { accessRevision: 1 })).toMatchObject({
      state: 'open',
      access: { revision: 2, passwordRevision: 2, allowList: [] },
    });
    // A report with traffic takes another code path.
    expect((await run.report(connection.id, 5, 0, { accessRevision: 1 })).access).toMatchObject({ revision: 2 });
    expect((await run.report(connection.id, 5, 0, { accessRevision: 2 })).access).toBeUndefined();
  });

  test('can only be requested by the owner of an open connection', async () => {
    const { user, connection, run } = await open();
    const stranger = await createUser(testApp);
    await expect(stranger.call(changePassword, { params: connection })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await run.end(connection.id, 0);
    await user.call(disconnect, { params: connection });
    await expect(user.call(changePassword, { params: connection })).rejects.toMatchObject({ code: 'NOT_CONNECTED' });
  });
});

describe('an allow-list', () => {
  test('admits listed clients without a password, and its changes are announced to all nodes', async () => {
    const address = '203.0.113.9';
    const { user, connection, run } = await open(address);
    const { run: stranger } = await open();
    expect(await run.authorizeAddress(address)).toEqual({ isAuthorized: false });
    const [notified, notifiedElsewhere] = [run.watch(), stranger.watch()];
    await untilWaiting(2);
    await list(user, connection.id, ['203.0.113.77/24']);
    const access = { revision: 2, passwordRevision: 1, allowList: ['203.0.113.0/24'] };
    expect(await notified).toEqual({
      ended: [],
      changed: [{ connectionId: connection.id, access }],
      areAllowListsChanged: true,
    });
    expect(await notifiedElsewhere).toEqual({ ended: [], areAllowListsChanged: true });
    for (const client of [address, '203.0.113.200'])
      expect(await stranger.authorizeAddress(client)).toMatchObject({ connectionId: connection.id, access });
    expect(await stranger.authorizeAddress('203.0.114.1')).toEqual({ isAuthorized: false });
    await list(user, connection.id, []);
    expect(await stranger.authorizeAddress(address)).toEqual({ isAuthorized: false });
  });

  test('with the entry of another open connection opens neither; ended connections do not count', async () => {
    const address = '2001:db8:7:100::1';
    const [one, two] = [await open(address), await open(address)];
    await list(one.user, one.connection.id, ['2001:db8:7:100::/56', address]);
    await list(two.user, two.connection.id, [address]);
    expect(await one.run.authorizeAddress(address)).toEqual({ isAuthorized: false, reason: 'ADDRESS_SHARED' });
    await two.run.end(two.connection.id, 0);
    await two.user.call(disconnect, { params: two.connection });
    expect(await one.run.authorizeAddress(address)).toMatchObject({ connectionId: one.connection.id });
    const rows = await testApp.database.query(
      'select from allowed_networks where connection_id = $1 union all select from client_addresses where connection_id = $1',
      [two.connection.id],
    );
    expect(rows).toEqual([]);
  });

  test('with the longest prefix wins, in any order of listing; a less specific one only has the rest of its network', async () => {
    const [network, single] = [await open('192.0.2.1'), await open('192.0.2.2')];
    const connectionOf = async (address: string) => {
      const authorization = await network.run.authorizeAddress(address);
      return authorization.isAuthorized ? authorization.connectionId : authorization.reason;
    };
    await list(network.user, network.connection.id, ['192.0.2.0/24']);
    expect(await connectionOf('192.0.2.2')).toBe(network.connection.id);
    await list(single.user, single.connection.id, ['192.0.2.2']);
    expect(await connectionOf('192.0.2.2')).toBe(single.connection.id);
    expect(await connectionOf('192.0.2.1')).toBe(network.connection.id);
    await list(network.user, network.connection.id, ['192.0.2.0/24', '192.0.2.1/32']);
    expect(await connectionOf('192.0.2.2')).toBe(single.connection.id);
    // Two equal entries are less specific than the third: they collide for the rest of the network only.
    const third = await open('192.0.2.3');
    await list(third.user, third.connection.id, ['192.0.2.0/24']);
    expect(await connectionOf('192.0.2.2')).toBe(single.connection.id);
    expect(await connectionOf('192.0.2.1')).toBe(network.connection.id);
    expect(await connectionOf('192.0.2.3')).toBe('ADDRESS_SHARED');
  });

  test('accepts networks from which the password was used in the last 30 days', async () => {
    const { user, connection, run } = await open('203.0.113.1');
    const refused = (networks: string[]) =>
      list(user, connection.id, networks).then(
        () => 'taken',
        ({ code }: { code: string }) => code,
      );
    expect(await refused(['203.0.113.2'])).toBe('ADDRESS_NOT_USED');
    expect(await refused(['203.0.113.1', '203.0.113.1/32', '::ffff:203.0.113.1'])).toBe('taken');
    await testApp.database.query(
      `update client_addresses set used_at = used_at - interval '31 days' where connection_id = $1`,
      [connection.id],
    );
    expect(await refused(['203.0.113.1'])).toBe('ADDRESS_NOT_USED');
    await run.authorize(connection, '203.0.113.1');
    expect(await refused(['203.0.113.1'])).toBe('taken');
  });

  test('can only be changed by the owner of the connection', async () => {
    const { connection } = await open();
    await expect(list(await createUser(testApp), connection.id, [HOME])).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  test(
    'needs addresses that used the password, of which the last hundred are stored',
    { tags: ['thorough'] },
    async () => {
      const { connection, run } = await open();
      for (let index = 0; index < 105; index += 1) await run.authorize(connection, `198.18.0.${index}`);
      const rows = await testApp.database.query('select from client_addresses where connection_id = $1', [
        connection.id,
      ]);
      expect(rows).toHaveLength(100);
    },
  );
});

describe('a cap', () => {
  test('ends the connection at its last byte, with the reason', async () => {
    const { connection, run } = await open();
    await run.end(connection.id, 0);
    await setCap(testApp.ctx, connection.id, 20n);
    expect(await run.authorize(connection)).toMatchObject({ grantedBytes: 20 * MB, state: 'final', reason: 'CAP' });
    expect(await run.report(connection.id, 20 * MB, MB)).toMatchObject({ state: 'ended', reason: 'CAP' });
    expect(await run.authorize(connection)).toEqual({ isAuthorized: false, reason: 'CAP' });
  });

  test('below the grant recalls it: the run ends its part and opens the connection again', async () => {
    const { connection, run } = await open();
    await run.report(connection.id, 3 * MB);
    const notified = run.watch();
    await untilWaiting(1);
    await setCap(testApp.ctx, connection.id, 10n);
    expect(await notified).toEqual({ ended: [connection.id], reasons: { [connection.id]: 'RECALLED' } });
    expect(await run.report(connection.id, 4 * MB, MB)).toMatchObject({ state: 'ended', reason: 'RECALLED' });
    await run.end(connection.id, 5 * MB);
    const again = await run.authorize(connection);
    expect(again).toMatchObject({ usedBytes: 5 * MB, grantedBytes: 10 * MB, state: 'final', reason: 'CAP' });
    expect(await run.report(connection.id, 6 * MB)).toMatchObject({ state: 'open', grantedBytes: 10 * MB });
    expect(await run.report(connection.id, 10 * MB)).toMatchObject({ state: 'ended', reason: 'CAP' });
  });

  test('that was exceeded before the gateways were notified waits for the final reports of all runs', async () => {
    const { connection, run } = await open();
    const second = createGatewayRun(testApp, await addNode(testApp.ctx, 'two'));
    await run.report(connection.id, MB, 0);
    await second.authorize(connection);
    await setCap(testApp.ctx, connection.id, 10n);
    expect(await run.report(connection.id, 12 * MB)).toMatchObject({ state: 'ended', reason: 'CAP' });
    expect(await run.authorize(connection)).toEqual({ isAuthorized: false, reason: 'CAP' });
    await run.end(connection.id, 13 * MB);
    await second.end(connection.id, 0);
    const [row] = await testApp.database.query(
      'select status, end_reason as reason, used_bytes as used from connections where id = $1',
      [connection.id],
    );
    expect(row).toEqual({ status: 'NOT_WORK', reason: 'CAP', used: BigInt(13 * MB) });
  });
});

describe('the reason of an end', () => {
  test('is returned with the end, with reports, and for a day to clients with the password', async () => {
    const { user, connection, run } = await open();
    const notified = run.watch();
    await untilWaiting(1);
    const ended = user.call(disconnect, { params: connection });
    expect(await notified).toEqual({ ended: [connection.id], reasons: { [connection.id]: 'USER' } });
    expect(await run.report(connection.id, 0)).toMatchObject({ state: 'ended', reason: 'USER' });
    expect(await run.authorize(connection)).toEqual({ isAuthorized: false, reason: 'USER' });
    await run.end(connection.id, 0);
    await ended;
    expect(await run.report(connection.id, 0)).toMatchObject({ state: 'ended', reason: 'USER' });
    expect(await run.authorize(connection)).toEqual({ isAuthorized: false, reason: 'USER' });
    expect(await run.authorize({ ...connection, password: 'wrong' })).toEqual({ isAuthorized: false });
  });

  test.each([
    ['DISCONNECT_USER', 'USER'],
    ['NOT_WORK', 'IDLE'],
    ['NO_MONEY', 'NO_MONEY'],
  ])('%s for %s is returned until a day after the end, and then no more', async (status, reason) => {
    const { user, connection, run } = await open();
    await run.end(connection.id, 0);
    await user.call(disconnect, { params: connection });
    const endAgo = (time: string) =>
      testApp.database.query(
        `update connections set status = $2, end_reason = $3, ended_at = now() - $4::interval where id = $1`,
        [connection.id, status, reason, time],
      );
    await endAgo('23 hours 59 minutes');
    expect(await run.authorize(connection)).toEqual({ isAuthorized: false, reason });
    expect(await run.authorize({ ...connection, password: 'wrong' })).toEqual({ isAuthorized: false });
    await endAgo('24 hours 1 minute');
    expect(await run.authorize(connection)).toEqual({ isAuthorized: false });
  });
});
