import { connect, listConnections } from '@cellhop/contract/connections';
import { createClient } from '@cellhop/contract/client';
import { hello } from '@cellhop/contract/gateway';
import { listAllConnections } from '@cellhop/contract/staff/connections';
import { listNodes } from '@cellhop/contract/staff/nodes';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createExit, createProxy, createUser, type TestUser } from '../../test/factories.ts';
import { startTestApp, type TestApp } from '../../test/test-app.ts';
import { addNode } from '../modules/gateway/gateway.service.ts';
import { disableNode } from './disable-node.ts';

let testApp: TestApp;
let admin: TestUser;
let user: TestUser;
beforeAll(async () => {
  testApp = await startTestApp();
  admin = await createUser(testApp, { roleName: 'ADMIN' });
  user = await createUser(testApp, { balanceMicros: 5_000_000n });
});
afterAll(() => testApp.stop());

const run = (...values: string[]) => disableNode.parse(values).run(testApp.ctx, undefined as never);
const buyAt = async (name: string, address: string) => {
  const exitId = await createExit(testApp, name, address);
  return (await user.call(connect, { body: { id: await createProxy(testApp, { exitId }), price: 0.8 } })).data.id;
};

test('staff list the connections of a gateway; disabled, its token is refused, its connections end, and others go on', async () => {
  const token = await addNode(testApp.ctx, 'paris');
  await addNode(testApp.ctx, 'berlin');
  const [lost, kept] = [await buyAt('paris', '192.0.2.1'), await buyAt('berlin', '192.0.2.2')];
  const ofNode = async (node: string) =>
    (await admin.call(listAllConnections, { query: { node } })).data.map(({ id, endReason }) => [id, endReason]);
  expect(await ofNode('paris')).toEqual([[lost, null]]);

  expect(await run('paris')).toContain('would end: 1');
  expect(await ofNode('paris')).toEqual([[lost, null]]);

  expect(await run('paris', '--apply')).toContain('were ended: 1.');
  expect(await ofNode('paris')).toEqual([[lost, 'EXIT_LOST']]);
  expect(await ofNode('berlin')).toEqual([[kept, null]]);
  expect((await user.call(listConnections, { query: {} })).data.find(({ id }) => id === lost)).toMatchObject({
    refundStatus: 'REFUNDED',
  });
  const asNode = createClient({ baseUrl: testApp.url, headers: () => ({ authorization: `Bearer ${token}` }) });
  const status = { softwareVersion: '0.3.0', tunnels: 0, bytesPerSecond: 0 };
  await expect(asNode(hello, { body: { contractVersion: 1, runId: randomUUID(), status } })).rejects.toMatchObject({
    status: 401,
  });
  const node = (await admin.call(listNodes, {})).data.find(({ name }) => name === 'paris');
  expect(node).toMatchObject({ isDraining: true, version: 1 });
  const actions = await testApp.database.query<{ action: string }>(
    `select action from audit_log where action in ('NODE_DISABLED', 'CONNECTION_ENDED') order by id`,
  );
  expect(actions.map(({ action }) => action)).toEqual(['NODE_DISABLED', 'CONNECTION_ENDED']);
});

test('an unknown gateway, and the one of the settings, are refused', async () => {
  await expect(run('rome')).rejects.toThrow('There is no gateway "rome".');
  expect(() => disableNode.parse(['default'])).toThrow('has the token of the setting GATEWAY_TOKEN');
  expect(() => disableNode.parse([])).toThrow('Name one gateway.');
});
