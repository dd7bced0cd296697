/** Exits belong to nodes: which node serves a connection, and which host and port its customer sees. */
import { connect, listConnections } from '@cellhop/contract/connections';
import { listAllConnections } from '@cellhop/contract/staff/connections';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createExit, createProxy, createUser, type ProxyOptions, type TestUser } from '../../../test/factories.ts';
import { createGatewayRun } from '../../../test/gateway-client.ts';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { checkInvariants } from '../../db/check-invariants.ts';
import { addNode, DEFAULT_NODE_NAME, registerNode } from './gateway.service.ts';

let testApp: TestApp;
let user: TestUser;
let exits: { builtIn: string; paris: string; parisAddress: string };
let parisToken: string;

beforeAll(async () => {
  testApp = await startTestApp();
  await registerNode(testApp.ctx);
  parisToken = await addNode(testApp.ctx, 'paris', { address: { host: 'paris.example.com', port: 1081 } });
  exits = {
    builtIn: await createExit(testApp, DEFAULT_NODE_NAME),
    paris: await createExit(testApp, 'paris'),
    parisAddress: await createExit(testApp, 'paris', '192.0.2.7'),
  };
  user = await createUser(testApp, { balanceMicros: 20_000_000n });
});
afterAll(async () => {
  expect(await checkInvariants(testApp.ctx)).toEqual([]);
  await testApp.stop();
});

async function buy(options: ProxyOptions) {
  const { data } = await user.call(connect, { body: { id: await createProxy(testApp, options), price: 0.8 } });
  return data;
}

const runOf = (node: 'default' | 'paris') => createGatewayRun(testApp, node === 'paris' ? parisToken : undefined);

describe('a connection', () => {
  test('has the host and port of the node that its exit belongs to', async () => {
    const { host, port } = testApp.ctx.config.gateway;
    const cases = [
      [{ exitId: exits.builtIn }, { host, port }],
      [{ exitId: exits.paris }, { host: 'paris.example.com', port: 1081 }],
      [{}, { host, port }],
    ] as const;
    const admin = await createUser(testApp, { roleName: 'ADMIN' });
    for (const [options, address] of cases) {
      const { id, ...bought } = await buy(options);
      expect(bought).toMatchObject(address);
      expect((await user.call(listConnections, { query: {} })).data[0]).toMatchObject({ id, ...address });
      const { data } = await admin.call(listAllConnections, { query: { userId: user.id } });
      expect(data[0]).toMatchObject({ id, ...address });
    }
  });

  test('is authorized by the node of its exit, and refused by every other', async () => {
    const ofParis = await buy({ exitId: exits.paris });
    const builtIn = await buy({ exitId: exits.builtIn });
    expect(await runOf('default').authorize(ofParis)).toEqual({ isAuthorized: false });
    expect(await runOf('paris').authorize(builtIn)).toEqual({ isAuthorized: false });
    expect(await runOf('paris').authorize(ofParis)).toMatchObject({ isAuthorized: true, connectionId: ofParis.id });
    expect(await runOf('default').authorize(builtIn)).toMatchObject({ isAuthorized: true, connectionId: builtIn.id });
  });

  test('is opened by a listed address on its own node only, where a connection of another node does not count', async () => {
    const address = '203.0.113.20';
    const [ofParis, builtIn] = [await buy({ exitId: exits.paris }), await buy({ exitId: exits.builtIn })];
    const list = ({ id }: { id: string }) =>
      testApp.database.query('select replace_allow_list($1, $2::cidr[])', [id, [address]]);
    await list(ofParis);
    expect(await runOf('default').authorizeAddress(address)).toEqual({ isAuthorized: false });
    await list(builtIn);
    expect(await runOf('paris').authorizeAddress(address)).toMatchObject({
      connectionId: ofParis.id,
      exit: { id: exits.paris, kind: 'local-address', address: null },
    });
    expect(await runOf('default').authorizeAddress(address)).toMatchObject({ connectionId: builtIn.id });
    await list(await buy({ exitId: exits.builtIn }));
    expect(await runOf('default').authorizeAddress(address)).toEqual({ isAuthorized: false, reason: 'ADDRESS_SHARED' });
    expect(await runOf('paris').authorizeAddress(address)).toMatchObject({ connectionId: ofParis.id });
  });

  test('that was refused is open in no run: the refused node reports nothing of it', async () => {
    const connection = await buy({ exitId: exits.paris });
    const run = runOf('default');
    await run.authorize(connection);
    expect(await run.report(connection.id, 1_000_000)).toMatchObject({ state: 'ended', grantedBytes: 0 });
    const { data } = await user.call(listConnections, { query: {} });
    expect(data[0]).toMatchObject({ id: connection.id, status: 'WORK', trafficUsed: 0 });
  });

  test('stays on the node that its customer uses when the proxy moves to another', async () => {
    const id = await createProxy(testApp, { exitId: exits.paris });
    const { data: connection } = await user.call(connect, { body: { id, price: 0.8 } });
    await testApp.database.query('update proxies set exit_id = $2 where id = $1', [id, exits.builtIn]);
    expect((await user.call(listConnections, { query: {} })).data[0]).toMatchObject({ host: 'paris.example.com' });
    expect(await runOf('paris').authorize(connection)).toMatchObject({ exit: { id: exits.paris } });
    expect(await runOf('default').authorize(connection)).toEqual({ isAuthorized: false });
  });
});

describe('the answer to a gateway', () => {
  test('names the exit by its id and kind, the same for all connections that leave by it', async () => {
    const [first, second] = [await buy({ exitId: exits.parisAddress }), await buy({ exitId: exits.parisAddress })];
    for (const connection of [first, second])
      expect(await runOf('paris').authorize(connection)).toMatchObject({
        exit: { id: exits.parisAddress, kind: 'local-address', address: '192.0.2.7' },
      });
    expect(await runOf('paris').authorize(await buy({ exitId: exits.paris }))).toMatchObject({
      exit: { id: exits.paris, kind: 'local-address', address: null },
    });
  });
});

describe('an exit', () => {
  test('never goes to another node, and one way out of a node is one exit', async () => {
    const move = 'update exits set node_id = (select id from gateway_nodes where name = $2) where id = $1';
    await expect(testApp.database.query(move, [exits.paris, DEFAULT_NODE_NAME])).rejects.toThrow('append-only');
    await testApp.database.query(move, [exits.paris, 'paris']);
    await expect(createExit(testApp, 'paris')).rejects.toThrow('exits_by_key');
    await expect(createExit(testApp, 'paris', '192.0.2.7')).rejects.toThrow('exits_by_key');
  });

  test('that is in use is not deleted', async () => {
    await buy({ exitId: exits.paris });
    await expect(testApp.database.query('delete from exits where id = $1', [exits.paris])).rejects.toThrow('_fkey');
  });
});

test('a node without an address of its own is reached at the address of the settings', async () => {
  await addNode(testApp.ctx, 'beside');
  const connection = await buy({ exitId: await createExit(testApp, 'beside') });
  const { host, port } = testApp.ctx.config.gateway;
  expect(connection).toMatchObject({ host, port });
});

test('a new token leaves the address of a node as it was', async () => {
  parisToken = await addNode(testApp.ctx, 'paris');
  expect(await buy({ exitId: exits.paris })).toMatchObject({ host: 'paris.example.com', port: 1081 });
});
