/** What customers can change through the API while a gateway uses their connection: cap, allow-list, password. */
import {
  changeConnection,
  changePassword,
  connect,
  getConnectionAccess,
  listConnections,
} from '@cellhop/contract/connections';
import type { ClientInput } from '@cellhop/contract/endpoint';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createProxy, createUser, type TestUser } from '../../../test/factories.ts';
import { createGatewayRun } from '../../../test/gateway-client.ts';
import { openStream } from '../../../test/live.ts';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { checkInvariants } from '../../db/check-invariants.ts';
import { registerNode } from '../gateway/gateway.service.ts';
import { scaled } from '../../../../tools/test-scale.ts';

const MB = 1_048_576;
const HOME = '198.51.100.7';
/** More than the passwords whose keys are stored. */
const CHANGES = scaled(12, 100);

let testApp: TestApp;
beforeAll(async () => {
  testApp = await startTestApp();
  await registerNode(testApp.ctx);
});
afterAll(async () => {
  expect(await checkInvariants(testApp.ctx)).toEqual([]);
  await testApp.stop();
});

async function buy(options: { capMegabytes?: number; headers?: Record<string, string>; id?: string } = {}) {
  const user = await createUser(testApp, { balanceMicros: 5_000_000n });
  const { headers, id = await createProxy(testApp), ...cap } = options;
  const input = { body: { id, price: 0.8, ...cap } };
  const connection = (await user.call(connect, input, { ...(headers && { headers }) })).data;
  return { user, connection, input };
}

type Change = ClientInput<typeof changeConnection>['body'];
const change = async (user: TestUser, id: string, body: Change) =>
  (await user.call(changeConnection, { params: { id }, body })).data;
const find = async (user: TestUser, id: string) => (await user.call(listConnections, { query: { id } })).data[0]!;

/**
 * A gateway that uses every byte as soon as it is granted, until the connection has ended.
 * @param changed it waits for this at 45 MB
 * @returns the bytes used
 */
async function useUp({ connection }: Awaited<ReturnType<typeof buy>>, changed?: Promise<unknown>): Promise<number> {
  const run = createGatewayRun(testApp);
  let used = 0;
  for (;;) {
    const authorization = await run.authorize(connection, HOME);
    if (!authorization.isAuthorized) return used;
    let granted = authorization.grantedBytes;
    for (;;) {
      used = Math.max(used, Math.min(granted, used + 3 * MB));
      if (used >= 45 * MB) await changed;
      const credit = await run.report(connection.id, used, 4 * MB);
      if (credit.state === 'ended') break;
      granted = credit.grantedBytes;
    }
    await run.end(connection.id, used);
  }
}

/** The response to the change comes later: it waits for the gateway. */
async function untilCapped({ user, connection }: Awaited<ReturnType<typeof buy>>): Promise<void> {
  await expect.poll(async () => (await find(user, connection.id)).capMegabytes).not.toBeNull();
}

describe('a traffic cap', () => {
  test(
    'that is set at the purchase is never exceeded, and a repeated purchase does not set it again',
    { tags: ['thorough'] },
    async () => {
      const headers = { 'idempotency-key': 'capped' };
      const bought = await buy({ capMegabytes: 60, headers });
      const { user, connection, input } = bought;
      expect(connection.capMegabytes).toBe(60);
      expect(await change(user, connection.id, { capMegabytes: 61 })).toMatchObject({ capMegabytes: 61 });
      const repeated = (await user.call(connect, input, { headers })).data;
      expect(repeated).toMatchObject({ id: connection.id, capMegabytes: 61 });
      const other = { body: { ...input.body, capMegabytes: 61 } };
      await expect(user.call(connect, other, { headers })).rejects.toMatchObject({ code: 'IDEMPOTENCY_KEY_REUSED' });
      expect(await useUp(bought)).toBe(61 * MB);
      expect(await find(user, connection.id)).toMatchObject({
        status: 'NOT_WORK',
        endReason: 'CAP',
        trafficUsed: 61 * 1024,
        paidFor: 0.488,
      });
    },
  );

  test('that is lowered while tunnels run ends them at its last byte', { tags: ['thorough'] }, async () => {
    for (let round = 0; round < 5; round += 1) {
      const bought = await buy();
      const capMegabytes = 52 + round;
      const changed = change(bought.user, bought.connection.id, { capMegabytes });
      const [used] = await Promise.all([useUp(bought, untilCapped(bought)), changed]);
      expect(used).toBe(capMegabytes * MB);
      expect(await find(bought.user, bought.connection.id)).toMatchObject({
        endReason: 'CAP',
        paidFor: (capMegabytes * 8) / 1000,
      });
    }
  });

  test('that is lowered below the grant is confirmed after the gateway has returned the grant', async () => {
    const { user, connection } = await buy();
    const run = createGatewayRun(testApp);
    expect(await run.authorize(connection, HOME)).toMatchObject({ grantedBytes: 50 * MB });
    const done: string[] = [];
    const changed = change(user, connection.id, { capMegabytes: 20 }).then((changed) => {
      done.push('confirmed');
      return changed;
    });
    // Traffic that passes before the gateway learns of the change.
    await expect.poll(() => run.report(connection.id, 3 * MB)).toMatchObject({ state: 'ended', reason: 'RECALLED' });
    done.push('returned');
    await run.end(connection.id, 4 * MB);
    expect(await changed).toMatchObject({ capMegabytes: 20, trafficUsed: 4 * 1024 });
    expect(done).toEqual(['returned', 'confirmed']);
    expect(await run.authorize(connection, HOME)).toMatchObject({ grantedBytes: 20 * MB, state: 'final' });
  });

  test('that is lowered is confirmed within seconds although its gateway does not respond', async () => {
    const { user, connection } = await buy();
    await createGatewayRun(testApp).authorize(connection, HOME);
    expect(await change(user, connection.id, { capMegabytes: 20 })).toMatchObject({ capMegabytes: 20 });
  });

  test('can be removed, must be above the used traffic, and has limits', async () => {
    const { user, connection } = await buy();
    const run = createGatewayRun(testApp);
    await run.authorize(connection, HOME);
    await run.report(connection.id, 2.5 * MB);
    const set = (capMegabytes: number | null) => change(user, connection.id, { capMegabytes });
    await expect(set(2)).rejects.toMatchObject({
      code: 'CAP_USED_UP',
      message: 'Connection has already used 3 MB',
    });
    for (const refused of [0, -1, 1.5, 10_000_001])
      await expect(set(refused)).rejects.toMatchObject({
        code: 'VALIDATION',
        body: { details: [{ path: 'body.capMegabytes' }] },
      });
    expect((await set(100)).capMegabytes).toBe(100);
    expect((await set(null)).capMegabytes).toBeNull();
  });
});

describe('an allow-list', () => {
  test('reaches the gateway, and offers the addresses that used the password', async () => {
    const { user, connection } = await buy();
    const run = createGatewayRun(testApp);
    await run.authorize(connection, HOME);
    await run.report(connection.id, 0);
    const read = async () => (await user.call(getConnectionAccess, { params: connection })).data;
    expect(await read()).toEqual({
      allowList: [],
      collidingNetworks: [],
      recentAddresses: [{ address: HOME, usedAt: expect.any(String) as string }],
    });
    await change(user, connection.id, { allowList: [HOME] });
    expect(await read()).toEqual({ allowList: [`${HOME}/32`], collidingNetworks: [], recentAddresses: [] });
    expect(await run.report(connection.id, 0, 0, { accessRevision: 1 })).toMatchObject({
      access: { revision: 2, allowList: [`${HOME}/32`] },
    });
    expect(await run.authorizeAddress(HOME)).toMatchObject({ connectionId: connection.id });
    await change(user, connection.id, { allowList: [] });
    expect(await run.authorizeAddress(HOME)).toEqual({ isAuthorized: false });
  });

  test(
    'shows both owners at once which entries collide, and nothing else about the other one',
    { tags: ['thorough'] },
    async () => {
      const [one, two] = [await buy(), await buy()];
      const address = '198.51.100.77';
      const run = createGatewayRun(testApp);
      for (const { connection } of [one, two]) await run.authorize(connection, address);
      const colliding = async ({ user, connection }: Awaited<ReturnType<typeof buy>>) =>
        (await user.call(getConnectionAccess, { params: connection })).data.collidingNetworks;
      const list = ({ user, connection }: Awaited<ReturnType<typeof buy>>, allowList: string[]) =>
        change(user, connection.id, { allowList });
      await list(one, [address, '198.51.100.64/26']);
      await list(two, ['198.51.100.0/24']);
      expect([await colliding(one), await colliding(two)]).toEqual([[], []]);

      const live = await openStream(testApp.url, one.user);
      await list(two, ['198.51.100.0/24', address]);
      await live.saw('changed connections');
      expect([await colliding(one), await colliding(two)]).toEqual([[`${address}/32`], [`${address}/32`]]);
      live.events.length = 0;
      await list(two, []);
      await live.saw('changed connections');
      expect(await colliding(one)).toEqual([]);
      live.close();
      await live.ended;
    },
  );

  test('refuses invalid entries', async () => {
    const { user, connection } = await buy();
    const set = (allowList: string[]) => change(user, connection.id, { allowList });
    await expect(set(['203.0.113.9'])).rejects.toMatchObject({
      code: 'ADDRESS_NOT_USED',
      message: 'No client from 203.0.113.9/32 has used the password of this connection in the last 30 days',
    });
    for (const refused of ['0.0.0.0/0', '198.51.100.0/23', '2001:db8::/55', 'example.com', ''])
      await expect(set([refused])).rejects.toMatchObject({
        code: 'VALIDATION',
        body: { details: [{ path: 'body.allowList.0' }] },
      });
    await expect(set(Array.from({ length: 21 }, (_, index) => `198.51.100.${index}`))).rejects.toMatchObject({
      body: { details: [{ path: 'body.allowList' }] },
    });
  });
});

const requestPassword = (user: TestUser, id: string, key?: string) =>
  user.call(changePassword, { params: { id } }, { ...(key !== undefined && { headers: { 'idempotency-key': key } }) });
const renewPassword = async (user: TestUser, id: string, key?: string) =>
  (await requestPassword(user, id, key)).data.password;

describe('a new password', () => {
  test('is made once for all requests with the same key, also concurrent and late ones', async () => {
    const { user, connection } = await buy();
    const first = await renewPassword(user, connection.id, 'first');
    expect(first).not.toBe(connection.password);
    expect(await renewPassword(user, connection.id, 'first')).toBe(first);
    const second = await Promise.all(Array.from({ length: 5 }, () => renewPassword(user, connection.id, 'second')));
    expect(new Set(second).size).toBe(1);
    expect(second[0]).not.toBe(first);
    // The repeat of the first request arrives after the second one.
    expect(await renewPassword(user, connection.id, 'first')).toBe(second[0]);
    const third = await renewPassword(user, connection.id);
    expect(third).not.toBe(second[0]);
    expect(await renewPassword(user, connection.id)).not.toBe(third);
  });

  test('of another connection may have the same key', async () => {
    const [one, other] = [await buy(), await buy()];
    for (const { user, connection } of [one, other])
      expect(await renewPassword(user, connection.id, 'same')).not.toBe(connection.password);
    await expect(requestPassword(one.user, other.connection.id, 'same')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  test('needs a key that is not too long', async () => {
    const { user, connection } = await buy();
    await expect(requestPassword(user, connection.id, 'x'.repeat(201))).rejects.toMatchObject({ code: 'VALIDATION' });
    expect((await find(user, connection.id)).password).toBe(connection.password);
  });

  test(
    `set ${CHANGES} times in a row leaves only the last one valid, and a bounded number of stored keys`,
    { tags: ['long'] },
    async () => {
      const { user, connection } = await buy();
      const run = createGatewayRun(testApp);
      let password = connection.password;
      for (let number = 0; number < CHANGES; number += 1) {
        const changed = await renewPassword(user, connection.id, `key ${number}`);
        expect(changed).not.toBe(password);
        password = changed;
      }
      expect(await run.authorize(connection, HOME)).toEqual({ isAuthorized: false });
      expect(await run.authorize({ ...connection, password }, HOME)).toMatchObject({
        isAuthorized: true,
        access: { revision: CHANGES + 1, passwordRevision: CHANGES + 1 },
      });
      const [row] = await testApp.database.query<{ keys: string[] }>(
        'select password_keys as keys from connections where id = $1',
        [connection.id],
      );
      expect(row!.keys).toHaveLength(10);
    },
  );
});

test('IPv6 addresses and networks on an allow-list may have any form, and are stored in one', async () => {
  const { user, connection } = await buy();
  const address = '2001:db8:12:3400::7';
  const run = createGatewayRun(testApp);
  await run.authorize(connection, address);
  const stored = async (...allowList: string[]) => {
    await change(user, connection.id, { allowList });
    return (await user.call(getConnectionAccess, { params: connection })).data.allowList;
  };
  const one = ['2001:db8:12:3400::7/128'];
  expect(await stored('2001:0DB8:0012:3400:0000:0000:0000:0007')).toEqual(one);
  expect(await stored(address, '2001:DB8:12:3400:0::7', '2001:db8:12:3400::0.0.0.7', `${address}/128`)).toEqual(one);
  expect(await stored('2001:db8:12:34ff::1/56')).toEqual(['2001:db8:12:3400::/56']);
  expect(await run.authorizeAddress('2001:db8:12:34ab::99')).toMatchObject({ connectionId: connection.id });
  expect(await run.authorizeAddress('2001:db8:12:3500::1')).toEqual({ isAuthorized: false });
  for (const refused of [
    `${address}%eth0`,
    `[${address}]`,
    '2001:db8::/56/64',
    '2001:db8:::1',
    `${address}/129`,
    '::/0',
  ])
    await expect(stored(refused)).rejects.toMatchObject({ code: 'VALIDATION' });
  // The IPv4 client of a socket for both families.
  await run.authorize(connection, '198.51.100.9');
  expect(await stored('::ffff:198.51.100.9')).toEqual(['198.51.100.9/32']);
  await expect(stored('::ffff:198.51.100.9/120')).rejects.toMatchObject({ code: 'VALIDATION' });
  expect(await stored('::FFFF:c633:6409')).toEqual(['198.51.100.9/32']);
});

test(
  `after ${CHANGES} concurrent changes of cap and allow-list, the values of one of them apply, also in the gateway`,
  { tags: ['long'] },
  async () => {
    const { user, connection } = await buy();
    const run = createGatewayRun(testApp);
    await run.authorize(connection, HOME);
    await Promise.all(
      Array.from({ length: CHANGES }, (_, index) =>
        change(user, connection.id, { capMegabytes: 60 + index, allowList: index % 2 === 0 ? [HOME] : [] }),
      ),
    );
    const { capMegabytes } = await find(user, connection.id);
    const { allowList } = (await user.call(getConnectionAccess, { params: connection })).data;
    expect(allowList).toEqual(capMegabytes! % 2 === 0 ? [`${HOME}/32`] : []);
    expect(await run.report(connection.id, 0, 0, { accessRevision: 1 })).toMatchObject({
      access: { revision: CHANGES + 1, passwordRevision: 1, allowList },
    });
  },
);

test('a change is made as a whole or not at all, by the owner only', async () => {
  const { user, connection } = await buy();
  const both = { label: 'Shop', allowList: ['203.0.113.9'] };
  await expect(change(user, connection.id, both)).rejects.toMatchObject({ code: 'ADDRESS_NOT_USED' });
  await expect(change(user, connection.id, {})).rejects.toMatchObject({ code: 'VALIDATION' });
  expect(await find(user, connection.id)).toMatchObject({ label: '', capMegabytes: null });
  expect(await change(user, connection.id, { label: 'Shop', capMegabytes: 70 })).toMatchObject({
    label: 'Shop',
    capMegabytes: 70,
  });
  const stranger = await createUser(testApp);
  const refused = { code: 'NOT_FOUND' };
  await expect(change(stranger, connection.id, { capMegabytes: 60 })).rejects.toMatchObject(refused);
  await expect(stranger.call(changePassword, { params: connection })).rejects.toMatchObject(refused);
  await expect(stranger.call(getConnectionAccess, { params: connection })).rejects.toMatchObject(refused);
});
