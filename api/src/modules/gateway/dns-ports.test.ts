/**
 * DNS ports are handed out per node, and taken back when a connection ends.
 * @module-tag thorough
 */
import { connect, disconnect, listConnections } from '@cellhop/contract/connections';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createExit, createProxy, createUser, type TestUser } from '../../../test/factories.ts';
import { createGatewayRun } from '../../../test/gateway-client.ts';
import { GATEWAY_TOKEN, startTestApp, type TestApp } from '../../../test/test-app.ts';
import { addNode, DEFAULT_NODE_NAME, registerNode } from './gateway.service.ts';

const METRICS_TOKEN = 'metrics-token-of-the-tests';

let testApp: TestApp;
let user: TestUser;
let exits: Record<'default' | 'paris', string>;
let runs: Record<'default' | 'paris', ReturnType<typeof createGatewayRun>>;

beforeAll(async () => {
  testApp = await startTestApp({
    metricsToken: METRICS_TOKEN,
    unusedReturnsPerHour: 1000,
    gateway: { host: '127.0.0.1', port: 1080, dnsPorts: { first: 20_000, last: 20_003 }, token: GATEWAY_TOKEN },
  });
  await registerNode(testApp.ctx);
  const token = await addNode(testApp.ctx, 'paris', { dnsPorts: { first: 20_000, last: 20_001 } });
  runs = { default: createGatewayRun(testApp), paris: createGatewayRun(testApp, token) };
  exits = { default: await createExit(testApp, DEFAULT_NODE_NAME), paris: await createExit(testApp, 'paris') };
  user = await createUser(testApp, { balanceMicros: 40_000_000n });
});
afterAll(() => testApp.stop());
/** Each test finds all ports free. */
beforeEach(async () => {
  for (const { id, status } of (await user.call(listConnections, { query: {} })).data)
    if (status === 'WORK') await end(id);
});

async function buy(exitId?: string) {
  const id = await createProxy(testApp, exitId === undefined ? {} : { exitId });
  return (await user.call(connect, { body: { id, price: 0.8 } })).data;
}

const end = (id: string) => user.call(disconnect, { params: { id } });
const portsOf = (connections: readonly { dnsPort: number | null }[]) =>
  connections.map(({ dnsPort }) => dnsPort).sort((one, other) => Number(one) - Number(other));

const CLIENT = '203.0.113.20';
const listClient = ({ id }: { id: string }) =>
  testApp.database.query('select replace_allow_list($1, $2::cidr[])', [id, [CLIENT]]);

describe('a gateway', () => {
  test('learns the DNS port of a connection when it authorizes it', async () => {
    const [ofParis, builtIn] = [await buy(exits.paris), await buy(exits.default)];
    expect(await runs.paris.authorize(ofParis)).toMatchObject({ dnsPort: ofParis.dnsPort });
    expect(await runs.default.authorize(builtIn)).toMatchObject({ dnsPort: builtIn.dnsPort });
  });

  test('gets the ports of its connections that list clients, and no others', async () => {
    const [listed, other] = [await buy(exits.paris), await buy(exits.paris)];
    expect(await runs.paris.dnsPorts()).toEqual([]);
    await listClient(listed);
    expect(await runs.paris.dnsPorts()).toEqual([{ port: listed.dnsPort, allowList: [`${CLIENT}/32`] }]);
    expect(await runs.default.dnsPorts()).toEqual([]);
    await listClient(other);
    expect(await runs.paris.dnsPorts()).toHaveLength(2);
    await end(listed.id);
    expect(await runs.paris.dnsPorts()).toMatchObject([{ port: other.dnsPort }]);
  });

  test('opens the connection that has the port for a listed client, even if others list the client', async () => {
    const [first, second, silent] = [await buy(exits.default), await buy(exits.default), await buy(exits.default)];
    for (const connection of [first, second]) await listClient(connection);
    expect(await runs.default.authorizeAddress(CLIENT)).toEqual({ isAuthorized: false, reason: 'ADDRESS_SHARED' });
    for (const { id, dnsPort } of [first, second])
      expect(await runs.default.authorizeAddress(CLIENT, dnsPort!)).toMatchObject({ connectionId: id, dnsPort });
    const refused = { isAuthorized: false };
    expect(await runs.default.authorizeAddress(CLIENT, silent.dnsPort!)).toEqual(refused);
    expect(await runs.default.authorizeAddress('203.0.113.21', first.dnsPort!)).toEqual(refused);
    expect(await runs.paris.authorizeAddress(CLIENT, first.dnsPort!)).toEqual(refused);
    expect(await runs.default.authorizeAddress(CLIENT, 20_999)).toEqual(refused);
  });
});

describe('DNS ports', () => {
  test('are those of the node of the exit: two nodes give the same numbers', async () => {
    const [paris, builtIn] = [await buy(exits.paris), await buy(exits.default)];
    expect(portsOf([paris, builtIn])).toEqual([20_000, 20_000]);
    expect((await buy()).dnsPort).toBe(20_001);
  });

  test('that are all taken leave a purchase on that node without one', async () => {
    const bought = [await buy(exits.paris), await buy(exits.paris), await buy(exits.paris)];
    expect(bought.map(({ dnsPort }) => dnsPort)).toEqual([20_000, 20_001, null]);
    const [newest] = (await user.call(listConnections, { query: {} })).data;
    expect(newest).toMatchObject({ id: bought[2]!.id, status: 'WORK', dnsPort: null });
    expect((await buy(exits.default)).dnsPort).toBe(20_000);
  });

  test('come back when the connection ends', async () => {
    const [first] = [await buy(exits.paris), await buy(exits.paris)];
    expect((await buy(exits.paris)).dnsPort).toBeNull();
    await end(first.id);
    expect((await buy(exits.paris)).dnsPort).toBe(first.dnsPort);
  });

  test('are different ones for purchases at the same moment', async () => {
    const bought = await Promise.all(Array.from({ length: 6 }, () => buy(exits.default)));
    expect(portsOf(bought.filter(({ dnsPort }) => dnsPort !== null))).toEqual([20_000, 20_001, 20_002, 20_003]);
  });

  test('are counted by node', async () => {
    await buy(exits.paris);
    const answer = await fetch(`${testApp.url}/metrics`, { headers: { authorization: `Bearer ${METRICS_TOKEN}` } });
    const text = await answer.text();
    expect(text).toContain('dns_ports_free{node="default"} 4');
    expect(text).toContain('dns_ports_free{node="paris"} 1');
  });

  test('follow a new range: free ones go, taken ones when their connection has ended', async () => {
    const setRange = (first: number, last: number) => addNode(testApp.ctx, 'rome', { dnsPorts: { first, last } });
    await setRange(20_000, 20_001);
    const exitId = await createExit(testApp, 'rome');
    const kept = await buy(exitId);
    await setRange(30_000, 30_000);
    expect(portsOf([kept, await buy(exitId), await buy(exitId)])).toEqual([null, 20_000, 30_000]);
    await end(kept.id);
    await setRange(30_000, 30_000);
    expect((await buy(exitId)).dnsPort).toBeNull();
  });

  test('are none on a node without a range', async () => {
    await addNode(testApp.ctx, 'oslo');
    expect((await buy(await createExit(testApp, 'oslo'))).dnsPort).toBeNull();
  });
});
