import { checkConnection } from '@cellhop/contract/connection-checks';
import { connect, disconnect } from '@cellhop/contract/connections';
import { CONNECTION_CHECKS_PER_HOUR_MAX } from '@cellhop/contract/limits';
import { checkExitNow } from '@cellhop/contract/staff/exit-checks';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkFailed, checkOk, createCheckingNode, createUncheckedExit } from '../../../test/checking-node.ts';
import { balanceOf, createUser, type TestUser } from '../../../test/factories.ts';
import { startSecondApp, startTestApp, type TestApp } from '../../../test/test-app.ts';
import { createTestClient } from '../../../test/test-client.ts';

let testApp: TestApp;
let customer: TestUser;
beforeAll(async () => {
  testApp = await startTestApp();
  customer = await createUser(testApp, { balanceMicros: 100_000_000n });
});
afterAll(() => testApp.stop());

/** A connection of the customer on a node of its own, whose last check is a minute old. */
async function createConnection() {
  const node = await createCheckingNode(testApp);
  const exit = await createUncheckedExit(testApp, node);
  await node.exchange({ checks: [checkOk(exit.id)] });
  const { data: connection } = await customer.call(connect, { body: { id: exit.proxyId, price: 0.8 } });
  await node.letTimePass(31);
  await node.exchange({ checks: [] });
  const check = async () => (await customer.call(checkConnection, { params: { id: connection.id } })).data;
  const answer = (details = checkOk(exit.id)) => node.exchange({ checks: [details] });
  return { node, exit, connection, check, answer };
}

const ask = ({ call }: TestUser, id: string) => call(checkConnection, { params: { id } });
const NO_ANSWER = { checkedAt: null, address: null, latencyMs: null };

describe('a check of a connection', () => {
  test('is made now, costs nothing, and returns address, latency, place and operator', async () => {
    const { node, exit, connection, check, answer } = await createConnection();
    const before = await balanceOf(testApp, customer);
    await node.takeDue();
    expect(await check()).toMatchObject({ state: 'RUNNING', ...NO_ANSWER });
    expect(await node.takeDue()).toEqual([exit.id]);
    await answer(checkOk(exit.id, { seenAddress: '198.51.100.7', latencyMs: 55 }));
    expect(await check()).toEqual({
      asn: null,
      state: 'OK',
      isReplaceable: false,
      checkedAt: expect.stringMatching(/^\d{4}-/),
      address: '198.51.100.7',
      latencyMs: 55,
      ip: connection.ip,
      countryCode: exit.countryCode,
      region: 'Berlin',
      city: 'Berlin',
      zip: '10115',
      isp: 'Telekom',
      connectionType: 'LTE',
      seenPlace: null,
      udp: null,
      ipv6: null,
      resolver: null,
      isAsSold: { address: null, country: null, operator: null },
    });
    expect(await balanceOf(testApp, customer)).toBe(before);
  });

  test('orders what an exit carries besides tunnels, which otherwise is tested once an hour', async () => {
    const { node, exit, check, answer } = await createConnection();
    const ordered = async () => (await node.exchange({ wanted: 1 })).capabilityIds;
    await node.letTimePass(100);
    expect(await ordered()).toEqual([exit.id]);
    await check();
    await answer(checkOk(exit.id, { capabilities: { udp: true, ipv6: false, resolver: '203.0.113.53' } }));
    expect(await check()).toMatchObject({ udp: true, ipv6: false, resolver: { address: '203.0.113.53' } });
    await node.letTimePass(100);
    expect(await ordered()).toEqual([]);
    // A gateway of 0.4.0 reports none.
    await answer();
    await node.letTimePass(31);
    await check();
    expect(await ordered()).toEqual([exit.id]);
    await answer(checkOk(exit.id, { capabilities: {} }));
    expect(await check()).toMatchObject({ udp: null, ipv6: null, resolver: null });
  });

  test('says whether the exit failed or nothing is known, without the reason, which is for staff', async () => {
    const { node, exit, check, answer } = await createConnection();
    await check();
    await answer(checkFailed(exit.id));
    expect(await check()).toMatchObject({
      state: 'FAILED',
      checkedAt: expect.any(String),
      address: null,
      latencyMs: null,
    });
    await node.letTimePass(31);
    await check();
    await answer({ exitId: exit.id, outcome: 'inconclusive', reason: 'echo-unreachable' });
    expect(await check()).toMatchObject({ state: 'INCONCLUSIVE', latencyMs: null });
  });

  test('is never one that was made before anybody asked', async () => {
    const { node, check, answer } = await createConnection();
    await answer();
    await node.letTimePass(1);
    expect(await check()).toMatchObject({ state: 'RUNNING', ...NO_ANSWER });
    await answer();
    expect(await check()).toMatchObject({ state: 'OK' });
    await node.letTimePass(50);
    await answer();
    expect(await check()).toMatchObject({ state: 'RUNNING' });
  });

  test('repeats an answer younger than 30 s, whoever asked for it', async () => {
    const { node, exit, check, answer } = await createConnection();
    const admin = await createUser(testApp, { roleName: 'ADMIN' });
    await admin.call(checkExitNow, { params: { id: exit.id } });
    await answer();
    await node.takeDue();
    await node.letTimePass(15);
    for (let time = 0; time < 2 * CONNECTION_CHECKS_PER_HOUR_MAX; time += 1)
      expect(await check()).toMatchObject({ state: 'OK' });
    await node.letTimePass(15);
    expect(await check()).toMatchObject({ state: 'RUNNING' });
  });

  test(
    'is made at most six times an hour, regardless of the process; waiting for one and repeats are not counted',
    { tags: ['thorough'] },
    async () => {
      const { node, connection, check, answer } = await createConnection();
      for (let time = 0; time < CONNECTION_CHECKS_PER_HOUR_MAX; time += 1) {
        expect(await check()).toMatchObject({ state: 'RUNNING' });
        expect(await check()).toMatchObject({ state: 'RUNNING' });
        await answer();
        expect(await check()).toMatchObject({ state: 'OK' });
        await node.letTimePass(31);
      }
      const other = await startSecondApp(testApp);
      const call = createTestClient({ baseUrl: other.url, headers: () => customer.headers });
      const error = await call(checkConnection, { params: { id: connection.id } }).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ code: 'RATE_LIMITED' });
      await other.stop();
      // Another connection has a limit of its own.
      expect(await (await createConnection()).check()).toMatchObject({ state: 'RUNNING' });
    },
  );

  test('runs once when it is asked for twice at once, and is counted once', { tags: ['thorough'] }, async () => {
    const { node, exit, check, answer } = await createConnection();
    await node.takeDue();
    for (let time = 0; time < CONNECTION_CHECKS_PER_HOUR_MAX; time += 1) {
      const states = await Promise.all(Array.from({ length: 5 }, async () => (await check()).state));
      expect(new Set(states)).toEqual(new Set(['RUNNING']));
      expect(await node.takeDue()).toEqual([exit.id]);
      expect(await node.takeDue()).toEqual([]);
      await answer();
      await node.letTimePass(31);
      await node.takeDue();
    }
  });

  test('joins one that staff have asked for', async () => {
    const { node, exit, check, answer } = await createConnection();
    const admin = await createUser(testApp, { roleName: 'ADMIN' });
    await admin.call(checkExitNow, { params: { id: exit.id } });
    for (let time = 0; time < 2 * CONNECTION_CHECKS_PER_HOUR_MAX; time += 1)
      expect(await check()).toMatchObject({ state: 'RUNNING' });
    await answer();
    await node.letTimePass(31);
    expect(await check()).toMatchObject({ state: 'RUNNING' });
  });

  test('of a node that is silent, or of a release without checks, ends without an answer, and is made when the node is back', async () => {
    const { node, exit, check, answer } = await createConnection();
    expect(await check()).toMatchObject({ state: 'RUNNING' });
    await node.letTimePass(20);
    for (let time = 0; time < 2 * CONNECTION_CHECKS_PER_HOUR_MAX; time += 1)
      expect(await check()).toMatchObject({ state: 'UNANSWERED', ...NO_ANSWER });
    expect(await node.takeDue()).toEqual([exit.id]);
    await answer();
    expect(await check()).toMatchObject({ state: 'OK', latencyMs: 42 });
  });

  test('is refused for a connection of somebody else, one that does not exist, and one that has ended', async () => {
    const { connection, check } = await createConnection();
    const stranger = await createUser(testApp);
    await expect(ask(stranger, connection.id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(ask(customer, randomUUID())).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await customer.call(disconnect, { params: { id: connection.id } });
    await expect(check()).rejects.toMatchObject({ code: 'NOT_CONNECTED' });
  });
});
