import { connect, disconnect } from '@cellhop/contract/connections';
import { listConnectionAddresses, rotateConnection } from '@cellhop/contract/rotation';
import { exportInventory, listInventory } from '@cellhop/contract/staff/inventory';
import { changeExitRotation } from '@cellhop/contract/staff/exit-rotation';
import { searchProxies } from '@cellhop/contract/proxies';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkFailed, createCheckingNode, createUncheckedExit } from '../../../test/checking-node.ts';
import { createProxy, createUser, type TestUser } from '../../../test/factories.ts';
import { createRotatedConnection, FARM_TOKEN, FARM_URL } from '../../../test/rotated-connections.ts';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import type { SecretKeys } from '../../secrets/keys.ts';
import { deleteOldChanges, finishOverdue, resealLinks } from './rotation.service.ts';

const TOKEN = FARM_TOKEN;
const LINK = { method: 'GET', url: FARM_URL } as const;
const SETTING = { cooldownSeconds: null, changesPerHour: null };

let testApp: TestApp;
let customer: TestUser;
let admin: TestUser;
beforeAll(async () => {
  testApp = await startTestApp();
  customer = await createUser(testApp, { balanceMicros: 100_000_000n });
  admin = await createUser(testApp, { roleName: 'ADMIN' });
});
afterAll(() => testApp.stop());

const setLink = (id: string, body: object = {}) =>
  admin.call(changeExitRotation, { params: { id }, body: { ...SETTING, link: LINK, ...body } });
const ask = ({ call }: TestUser, id: string) => call(rotateConnection, { params: { id } });

const createConnection = (limits: object = {}) => createRotatedConnection(testApp, customer, limits);

describe('a change of the address', () => {
  test('is ordered by the customer, called by the gateway of the exit, and done when a check sees another address', async () => {
    const { exit, bought, find, rotate, takeOrders, report, see } = await createConnection();
    expect(bought).toMatchObject({
      currentIp: '198.51.100.1',
      rotation: { state: 'READY', availableAt: null, link: null, everyMinutes: null },
    });
    expect(await rotate()).toEqual({ state: 'ROTATING', oldIp: '198.51.100.1', newIp: null, seconds: 0 });
    const [order] = await takeOrders();
    expect(order).toMatchObject({ link: LINK, exit: { id: exit.id, kind: 'http', host: 'upstream.test' } });
    expect((await find()).rotation).toEqual({ state: 'ROTATING', availableAt: null, link: null, everyMinutes: null });
    await report({ id: order!.id, outcome: 'called', address: '198.51.100.2' });
    // The address had changed before the call.
    await see('198.51.100.2');
    expect((await find()).rotation).toMatchObject({ state: 'ROTATING' });
    await see('198.51.100.3');
    const changed = await find();
    expect(changed).toMatchObject({ ip: bought.ip, currentIp: '198.51.100.3', status: 'WORK', paidFor: 0.4 });
    expect(changed.rotation).toEqual({
      state: 'COOLDOWN',
      availableAt: expect.stringMatching(/^\d{4}-/),
      link: null,
      everyMinutes: null,
    });
    const { data: free } = await admin.call(listInventory, { query: { ip: '198.51.100.3' } });
    expect(free.map(({ id }) => id)).toEqual([exit.proxyId]);
  });

  test('is shown in the catalogue when the connection has ended, and the connection keeps the address that it was sold with', async () => {
    const { exit, id, bought, find, rotate, call, see } = await createConnection();
    await rotate();
    await call();
    await see('198.51.100.77');
    await customer.call(disconnect, { params: { id } });
    const { data: offered } = await customer.call(searchProxies, { query: { country: [exit.countryCode] } });
    expect(offered.map(({ ip }) => ip)).toEqual(['198.51.100.77']);
    expect(await find()).toMatchObject({ ip: bought.ip, currentIp: null, rotation: null });
  });

  test('counts addresses that are not public, as in the demo, and lists them, the newest first', async () => {
    const { node, id, bought, find, rotate, call, see, pass } = await createConnection();
    for (const address of ['127.0.2.2', '127.0.2.3']) {
      await rotate();
      await call(address === '127.0.2.2' ? '127.0.2.1' : undefined);
      await see(address);
      expect(await find()).toMatchObject({ currentIp: address, rotation: { state: 'COOLDOWN' } });
      await pass(61);
    }
    await node.exchange();
    expect((await find()).rotation).toEqual({ state: 'READY', availableAt: null, link: null, everyMinutes: null });
    const { data: addresses } = await customer.call(listConnectionAddresses, { params: { id } });
    const ips = addresses.map(({ ip }) => ip);
    expect(ips.filter((ip) => ip.startsWith('127.'))).toEqual(['127.0.2.3', '127.0.2.2']);
    expect(ips).toContain(bought.ip);
    const stranger = await createUser(testApp);
    await expect(stranger.call(listConnectionAddresses, { params: { id } })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
  });

  test('is SAME_IP when the address is the same for two minutes, and another one may be ordered after the cooldown', async () => {
    const { find, rotate, call, see, pass } = await createConnection();
    await rotate();
    await call('198.51.100.1');
    await pass(119);
    await see('198.51.100.1');
    await finishOverdue(testApp.ctx);
    expect((await find()).rotation).toMatchObject({ state: 'ROTATING' });
    await pass(2);
    await finishOverdue(testApp.ctx);
    expect((await find()).rotation).toEqual({
      state: 'SAME_IP',
      availableAt: expect.any(String),
      link: null,
      everyMinutes: null,
    });
    const refused = rotate();
    await expect(refused).rejects.toMatchObject({ code: 'RATE_LIMITED' });
    await pass(61);
    expect((await find()).rotation).toEqual({ state: 'SAME_IP', availableAt: null, link: null, everyMinutes: null });
    expect(await rotate()).toMatchObject({ state: 'ROTATING' });
  });

  test('compares no addresses of different families', async () => {
    const { find, rotate, call, see } = await createConnection();
    await rotate();
    await call('198.51.100.1');
    await see('2001:db8::1');
    expect((await find()).rotation).toMatchObject({ state: 'ROTATING' });
  });

  test('FAILED says that the farm has refused, which gives nobody another reason to wait than the cooldown', async () => {
    const { find, rotate, call, report, pass, lastReason } = await createConnection();
    await rotate();
    const { id } = await call();
    await report({ id, outcome: 'failed', reason: 'link-status:500' });
    expect((await find()).rotation).toEqual({
      state: 'FAILED',
      availableAt: expect.any(String),
      link: null,
      everyMinutes: null,
    });
    expect(await lastReason()).toBe('link-status:500');
    await pass(61);
    expect(await rotate()).toMatchObject({ state: 'ROTATING' });
  });

  test('FAILED also when the exit does not come back, and when no gateway takes the order; then nobody has to wait', async () => {
    const silent = await createConnection();
    await silent.rotate();
    await silent.pass(121);
    await finishOverdue(testApp.ctx);
    expect((await silent.find()).rotation).toEqual({
      state: 'FAILED',
      availableAt: null,
      link: null,
      everyMinutes: null,
    });
    expect(await silent.lastReason()).toBe('gateway-silent');
    const gone = await createConnection();
    await gone.rotate();
    await gone.call();
    await gone.pass(121);
    // Without the periodic task, the next order ends it.
    await expect(gone.rotate()).rejects.toMatchObject({ code: 'RATE_LIMITED' });
    expect(await gone.lastReason()).toBe('exit-silent');
  });

  test('costs no health: failed checks do not count while it is awaited', async () => {
    const { node, exit, find, rotate, call, see } = await createConnection();
    await rotate();
    await call();
    for (let check = 0; check < 6; check += 1) {
      await node.exchange({ checks: [checkFailed(exit.id)] });
      await node.letTimePass(30);
    }
    const [row] = await testApp.database.query(
      'select health, failures, failing_since as "failingSince" from exit_checks where exit_id = $1',
      [exit.id],
    );
    expect(row).toEqual({ health: 'HEALTHY', failures: 0, failingSince: null });
    await see('198.51.100.9');
    expect(await find()).toMatchObject({ status: 'WORK', rotation: { state: 'COOLDOWN' } });
    await node.exchange({ checks: [checkFailed(exit.id)] });
    await node.exchange({ checks: [checkFailed(exit.id)] });
    const [after] = await testApp.database.query('select health from exit_checks where exit_id = $1', [exit.id]);
    expect(after).toEqual({ health: 'UNHEALTHY' });
  });

  test('makes the checks of its exit due every two seconds', async () => {
    const { node, exit, rotate, call, see } = await createConnection();
    await rotate();
    await call();
    expect(await node.takeDue()).toEqual([exit.id]);
    await see('198.51.100.1');
    expect(await node.takeDue()).toEqual([]);
    await node.letTimePass(2);
    expect(await node.takeDue()).toEqual([exit.id]);
  });

  test('that many order at once is one, and its order is handed out once', async () => {
    const { exit, rotate, takeOrders, node } = await createConnection();
    const states = await Promise.all(Array.from({ length: 8 }, rotate));
    expect(new Set(states.map(({ state }) => state))).toEqual(new Set(['ROTATING']));
    const taken = await Promise.all([takeOrders(), takeOrders(), takeOrders()]);
    expect(taken.flat()).toHaveLength(1);
    expect((await node.exchange()).rotatingIds).toEqual([exit.id]);
  });

  test('of a gateway that was killed after the call ends by what the checks of its next run see', async () => {
    const { find, rotate, takeOrders, see, pass } = await createConnection();
    await rotate();
    expect(await takeOrders()).toHaveLength(1);
    await see('198.51.100.5');
    expect((await find()).rotation).toMatchObject({ state: 'ROTATING' });
    await pass(31);
    expect(await takeOrders()).toEqual([]);
    await see('198.51.100.5');
    expect(await find()).toMatchObject({ currentIp: '198.51.100.5', rotation: { state: 'COOLDOWN' } });
  });

  test('goes on when the connection ends, and the next customer sees none of its outcome', async () => {
    const { exit, id, rotate, call, see } = await createConnection();
    await rotate();
    await customer.call(disconnect, { params: { id } });
    const { id: orderId } = await call();
    expect(orderId).toBeDefined();
    await expect(rotate()).rejects.toMatchObject({ code: 'NOT_CONNECTED' });
    await see('198.51.100.6');
    const next = await customer.call(connect, { body: { id: exit.proxyId, price: 0.8 } });
    expect(next.data).toMatchObject({ ip: '198.51.100.6', rotation: { state: 'COOLDOWN' } });
  });
});

describe('a change is refused', () => {
  test('during the cooldown, which an exit may have of its own', async () => {
    const { rotate, call, see, pass } = await createConnection({ cooldownSeconds: 300 });
    await rotate();
    await call();
    await see('198.51.100.2');
    await pass(290);
    const error = await rotate().catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'RATE_LIMITED', retryAfterSeconds: expect.any(Number) });
    await pass(11);
    expect(await rotate()).toMatchObject({ state: 'ROTATING', oldIp: '198.51.100.2' });
  });

  test('beyond the changes per hour', async () => {
    const { rotate, call, see, pass } = await createConnection({ cooldownSeconds: 1, changesPerHour: 2 });
    for (const address of ['198.51.100.2', '198.51.100.3']) {
      await rotate();
      await call();
      await see(address);
      await pass(600);
    }
    await expect(rotate()).rejects.toMatchObject({ code: 'RATE_LIMITED' });
    await pass(2410);
    expect(await rotate()).toMatchObject({ state: 'ROTATING' });
  });

  test('by a gateway of a release that calls no links, which goes on with its checks', async () => {
    const { node, exit, rotate } = await createConnection();
    await node.greet(2);
    await expect(rotate()).rejects.toMatchObject({ code: 'GATEWAY_TOO_OLD', status: 409 });
    await node.greet();
    expect(await rotate()).toMatchObject({ state: 'ROTATING' });
    const answer = await node.exchange({ wanted: 8 });
    expect(answer).toMatchObject({ rotations: [], rotatingIds: [exit.id] });
  });

  test('without a link, for several proxies on one exit, for others, and for what does not exist', async () => {
    const { exit, id, find, rotate } = await createConnection();
    const stranger = await createUser(testApp);
    await expect(ask(stranger, id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(ask(customer, randomUUID())).rejects.toMatchObject({ code: 'NOT_FOUND' });
    const second = await createProxy(testApp, { exitId: exit.id });
    await expect(rotate()).rejects.toMatchObject({ code: 'NOT_ROTATABLE', status: 409 });
    expect((await find()).rotation).toBeNull();
    await expect(setLink(exit.id)).rejects.toMatchObject({ code: 'EXIT_SHARED' });
    await testApp.database.query('delete from proxies where id = $1', [second]);
    expect(await rotate()).toMatchObject({ state: 'ROTATING' });
    await setLink(exit.id, { link: null });
    await expect(rotate()).rejects.toMatchObject({ code: 'NOT_ROTATABLE' });
  });
});

describe('the link of a farm', () => {
  test('is stored encrypted, and shown to nobody: neither in lists, in files nor in the audit log', async () => {
    const { exit, find, rotate, takeOrders } = await createConnection();
    await rotate();
    expect((await takeOrders())[0]!.link.url).toContain(TOKEN);
    const texts = [
      JSON.stringify(await find()),
      JSON.stringify(await admin.call(listInventory, { query: {} })),
      await admin.call(exportInventory, { query: {} }),
      JSON.stringify(await testApp.database.query('select to_jsonb(audit_log) as entry from audit_log')),
      ...(await testApp.database.query<{ link: Buffer }>('select link_encrypted as link from exit_rotations')).map(
        ({ link }) => link.toString('latin1'),
      ),
    ];
    for (const text of texts) expect(text).not.toContain(TOKEN);
    expect(
      await testApp.database.query("select 1 from audit_log where action = 'EXIT_ROTATION_CHANGED' limit 1"),
    ).toHaveLength(1);
    // A new limit leaves the link as it is.
    await admin.call(changeExitRotation, { params: { id: exit.id }, body: { cooldownSeconds: 90, changesPerHour: 4 } });
    const { data } = await admin.call(listInventory, { query: { id: [exit.proxyId] } });
    expect(data[0]!.rotation).toEqual({ cooldownSeconds: 90, changesPerHour: 4 });
  });

  test.each(['ftp://farm.test/', 'farm.test', 'http://169.254.169.254/latest', 'javascript:alert(1)'])(
    'is not %s',
    async (url) => {
      const { exit } = await createConnection();
      const refused = setLink(exit.id, { link: { method: 'GET', url } });
      await expect(refused).rejects.toMatchObject({ code: 'VALIDATION' });
    },
  );

  test('has no header that changes how the request is read', async () => {
    const { exit } = await createConnection();
    for (const header of [
      { name: 'Host', value: 'x' },
      { name: 'X-Key', value: 'a\r\nb: c' },
    ])
      await expect(setLink(exit.id, { link: { ...LINK, header } })).rejects.toMatchObject({ code: 'VALIDATION' });
    await setLink(exit.id, { link: { ...LINK, method: 'POST', header: { name: 'Authorization', value: 'Bearer x' } } });
  });

  test('of an unknown exit cannot be set, and without one there are no limits to change', async () => {
    await expect(setLink(randomUUID())).rejects.toMatchObject({ code: 'NOT_FOUND' });
    const node = await createCheckingNode(testApp);
    const exit = await createUncheckedExit(testApp, node);
    await expect(setLink(exit.id, { link: undefined })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});

test('links are encrypted again with the newest key, and those that no key opens end the change without a call', async () => {
  const { exit, find, rotate, takeOrders, lastReason } = await createConnection();
  const secretKeys = (...keys: string[]) => ({
    ...testApp.ctx,
    config: { ...testApp.ctx.config, secretKeys: keys as unknown as SecretKeys },
  });
  const [current] = testApp.ctx.config.secretKeys;
  await testApp.database.query(`update exit_rotations set created_at = created_at - interval '2 minutes'`);
  const START = { createdAt: '-infinity', id: '00000000-0000-0000-0000-000000000000' };
  const newest = 'a newer secret key of this test, 1234';
  const batch = await resealLinks(secretKeys(newest, current), START, 1000);
  expect(batch.resealedCount).toBe(batch.listedCount);
  expect(await resealLinks(secretKeys(newest), START, 1000)).toMatchObject({ resealedCount: 0, unreadableCount: 0 });
  // The process has the older key alone.
  await rotate();
  expect(await takeOrders()).toEqual([]);
  expect([await lastReason(), (await find()).rotation!.state]).toEqual(['link-unreadable', 'FAILED']);
  await setLink(exit.id);
  expect(await rotate()).toMatchObject({ state: 'ROTATING' });
});

test('changes are deleted with the addresses of exits, those that are awaited never', async () => {
  const { exit, rotate, call, see, pass } = await createConnection();
  await rotate();
  await call();
  await see('198.51.100.2');
  await pass(366 * 86_400);
  await rotate();
  await deleteOldChanges(testApp.ctx);
  const rows = await testApp.database.query('select outcome from exit_changes where exit_id = $1', [exit.id]);
  expect(rows).toEqual([{ outcome: null }]);
});
