import { connect, disconnect } from '@cellhop/contract/connections';
import { hello, watch } from '@cellhop/contract/gateway';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createProxy, createUser } from '../../../test/factories.ts';
import { createGatewayRun } from '../../../test/gateway-client.ts';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { addNode, registerNode } from './gateway.service.ts';

let testApp: TestApp;
beforeAll(async () => {
  testApp = await startTestApp();
  await registerNode(testApp.ctx);
});
afterAll(() => testApp.stop());

type Run = ReturnType<typeof createGatewayRun>;
const status = { softwareVersion: '0.4.0', tunnels: 0, bytesPerSecond: 0 };
const helloOf = async ({ call, runId }: Run) =>
  (await call(hello, { body: { runId, contractVersion: 2, status } })).data.purchaseNetworks;

async function buyFrom(address: string) {
  const user = await createUser(testApp, { balanceMicros: 1_000_000n });
  const body = { id: await createProxy(testApp), price: 0.8 };
  const { data } = await user.call(connect, { body }, { headers: { 'x-forwarded-for': address } });
  return { id: data.id, end: () => user.call(disconnect, { params: data }) };
}

test('a node knows where buyers of its open connections were signed in, as it counts clients, until the connections end', async () => {
  const run = createGatewayRun(testApp);
  const elsewhere = createGatewayRun(testApp, await addNode(testApp.ctx, 'elsewhere'));
  const [first, second] = [await buyFrom('2001:db8:1:2:3:4:5:6'), await buyFrom('203.0.113.7')];
  expect(await helloOf(run)).toEqual([
    { connectionId: second.id, network: '203.0.113.7' },
    { connectionId: first.id, network: '2001:db8:1:2::/64' },
  ]);
  expect(await helloOf(elsewhere)).toEqual([]);
  await first.end();
  await second.end();
  expect(await helloOf(run)).toEqual([]);
  expect(await testApp.database.query('select from purchase_networks')).toEqual([]);
});

test('a node that waits is told of each purchase at once', async () => {
  const run = createGatewayRun(testApp);
  const told = run.call(watch, { body: { runId: run.runId } });
  const held = async () =>
    /^gateway_calls_held (\d+)$/m.exec(await (await fetch(`${testApp.url}/metrics`)).text())?.[1];
  await expect.poll(held).toBe('1');
  const { id, end } = await buyFrom('203.0.113.8');
  expect((await told).data).toEqual({ ended: [], bought: [{ connectionId: id, network: '203.0.113.8' }] });
  await end();
});

test('a purchase from an address that nobody knows is one without a network', async () => {
  const { end } = await buyFrom('unknown');
  expect(await testApp.database.query('select from purchase_networks')).toEqual([]);
  await end();
});
