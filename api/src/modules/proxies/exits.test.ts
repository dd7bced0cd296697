/** Proxies that were stored without an exit of their own get one. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createExit, createProxy } from '../../../test/factories.ts';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { addNode, DEFAULT_NODE_NAME, registerNode } from '../gateway/gateway.service.ts';
import { assignExits } from './exits.ts';

let testApp: TestApp;
beforeEach(async () => {
  testApp = await startTestApp();
});
afterEach(() => testApp.stop());

const leavingFrom = (address: string | null) => createProxy(testApp, { exit: { kind: 'local-address', address } });
const exitsOf = async () =>
  new Map(
    (
      await testApp.database.query<{ id: string; node: string; address: string | null }>(
        `select proxies.id, name as node, host(address) as address
           from proxies join exits on exits.id = exit_id join gateway_nodes on gateway_nodes.id = node_id`,
      )
    ).map(({ id, ...exit }) => [id, exit]),
  );
const countExits = async () => (await testApp.database.query('select from exits')).length;

test('one for each way out of the only node, whatever the size of a batch', async () => {
  await registerNode(testApp.ctx);
  const proxies = [];
  for (const address of [null, '192.0.2.7', null, '2001:db8::7', '192.0.2.7'])
    proxies.push({ id: await leavingFrom(address), address });
  await assignExits(testApp.ctx, 2);
  const found = await exitsOf();
  for (const { id, address } of proxies) expect(found.get(id)).toEqual({ node: DEFAULT_NODE_NAME, address });
  expect(await countExits()).toBe(3);

  const later = await leavingFrom(null);
  await assignExits(testApp.ctx);
  expect((await exitsOf()).get(later)).toEqual({ node: DEFAULT_NODE_NAME, address: null });
  expect(await countExits()).toBe(3);
});

test('none if only the operator can know the node; assignments by the operator stay', async () => {
  await registerNode(testApp.ctx);
  await addNode(testApp.ctx, 'paris');
  await leavingFrom(null);
  const assigned = await createProxy(testApp, { exitId: await createExit(testApp, 'paris') });
  await assignExits(testApp.ctx);
  expect([...(await exitsOf()).keys()]).toEqual([assigned]);
});

test('none before a node is registered', async () => {
  await leavingFrom(null);
  await assignExits(testApp.ctx);
  expect(await countExits()).toBe(0);
});

test('once, by several workers at the same time', async () => {
  await registerNode(testApp.ctx);
  const ids = await Promise.all(Array.from({ length: 20 }, (_, index) => leavingFrom(`192.0.2.${index % 4}`)));
  await Promise.all([1, 3, 7].map((batchRows) => assignExits(testApp.ctx, batchRows)));
  expect([...(await exitsOf()).keys()].sort()).toEqual(ids.sort());
  expect(await countExits()).toBe(4);
});
