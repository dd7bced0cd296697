import { connect } from '@cellhop/contract/connections';
import { getAttention } from '@cellhop/contract/staff/dashboard';
import { listInventory } from '@cellhop/contract/staff/inventory';
import {
  changeExitTraffic,
  changeNodeTraffic,
  getExitTraffic,
  getNodeTraffic,
  listTrafficBudgets,
} from '@cellhop/contract/staff/traffic-budgets';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { buy, MB, use } from '../../../test/billed-connections.ts';
import { createProxy, createUser, type TestUser } from '../../../test/factories.ts';
import { createGatewayRun } from '../../../test/gateway-client.ts';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { registerNode } from '../gateway/gateway.service.ts';
import { checkInvariants } from '../../db/check-invariants.ts';
import { watchBudgets } from './budgets.service.ts';

let testApp: TestApp;
let admin: TestUser;
let customer: TestUser;
beforeAll(async () => {
  testApp = await startTestApp();
});
beforeEach(async () => {
  await testApp.reset();
  admin = await createUser(testApp, { roleName: 'ADMIN' });
  customer = await createUser(testApp, { balanceMicros: 100_000_000n });
});
afterAll(() => testApp.stop());

const stateOf = async (id: string) => (await admin.call(listInventory, { query: { id: [id] } })).data[0]?.state;
const budgets = async () => (await admin.call(listTrafficBudgets, { query: {} })).data;
const spent = async () => (await admin.call(getAttention, {})).data.spentBudgets;

/** A proxy that is sold, one that is free, and their exit. */
async function openExit() {
  const run = createGatewayRun(testApp);
  await registerNode(testApp.ctx);
  const connection = await buy(testApp, customer);
  await run.authorize(connection);
  const freeId = await createProxy(testApp);
  const [exit] = await testApp.database.query<{ id: string; nodeId: string }>(
    'select exits.id, node_id as "nodeId" from exits join proxies on exit_id = exits.id where proxies.id = $1',
    [freeId],
  );
  const moveTo = async (megabytes: number) => {
    await use(run, connection, BigInt(megabytes * MB));
    await watchBudgets(testApp.ctx);
  };
  return { exit: exit!, freeId, moveTo };
}

test('nothing of an exit is sold from nine tenths of its budget on, until the budget grows or the month ends', async () => {
  const { exit, freeId, moveTo } = await openExit();
  await admin.call(changeExitTraffic, { params: { id: exit.id }, body: { gigabytes: 1 } });
  await moveTo(900);
  expect(await budgets()).toMatchObject([{ exitId: exit.id, gigabytes: 1, trafficUsed: 900 * 1024, isSpent: false }]);
  expect(await stateOf(freeId)).toBe('FREE');
  await moveTo(930);
  await watchBudgets(testApp.ctx);
  expect(await budgets()).toMatchObject([{ trafficUsed: 930 * 1024, isSpent: true }]);
  expect([await stateOf(freeId), await spent()]).toEqual(['SPENT', 1]);
  expect((await admin.call(listInventory, { query: { state: 'SPENT' } })).data.map(({ id }) => id)).toContain(freeId);
  const purchase = customer.call(connect, { body: { id: freeId, price: 0.8 } });
  await expect(purchase).rejects.toMatchObject({ code: 'PROXY_NOT_FOUND' });

  await admin.call(changeExitTraffic, { params: { id: exit.id }, body: { gigabytes: 2 } });
  expect([await stateOf(freeId), await spent()]).toEqual(['FREE', 0]);
  await admin.call(changeExitTraffic, { params: { id: exit.id }, body: { gigabytes: 1 } });
  expect(await stateOf(freeId)).toBe('SPENT');
  await testApp.database.query(`update month_sums set month = (month - interval '1 month')::date`);
  await watchBudgets(testApp.ctx);
  expect(await stateOf(freeId)).toBe('FREE');
  expect(await budgets()).toMatchObject([{ trafficUsed: 0, isSpent: false }]);
  expect(await checkInvariants(testApp.ctx)).toEqual([]);
});

test('the budget of a node is that of all its exits together', async () => {
  const { exit, freeId, moveTo } = await openExit();
  await admin.call(changeNodeTraffic, {
    params: { id: exit.nodeId },
    body: { gigabytes: 1, reason: 'the plan of the farm' },
  });
  await moveTo(500);
  expect(await budgets()).toMatchObject([{ exitId: null, exit: null, trafficUsed: 500 * 1024, isSpent: false }]);
  await moveTo(930);
  expect(await stateOf(freeId)).toBe('SPENT');
  const [entry] = await testApp.database.query<{ details: unknown }>(
    `select details from audit_log where action = 'NODE_BUDGET_CHANGED' and subject_id = $1`,
    [exit.nodeId],
  );
  expect(entry?.details).toMatchObject({
    before: { gigabytes: null },
    after: { gigabytes: 1 },
    reason: 'the plan of the farm',
  });
  await admin.call(changeNodeTraffic, { params: { id: exit.nodeId }, body: { gigabytes: null } });
  expect([await stateOf(freeId), await budgets()]).toEqual(['FREE', []]);
});

test('what is absent from a change stays, and is not recorded', async () => {
  const { exit } = await openExit();
  for (const [read, change, id] of [
    [getExitTraffic, changeExitTraffic, exit.id],
    [getNodeTraffic, changeNodeTraffic, exit.nodeId],
  ] as const) {
    const request = { params: { id } };
    expect((await admin.call(read, request)).data).toEqual({ gigabytes: null, costPerGigabyte: null });
    await admin.call(change, { ...request, body: { gigabytes: 3 } });
    expect((await admin.call(change, { ...request, body: {} })).data).toEqual({ gigabytes: 3, costPerGigabyte: null });
    expect((await admin.call(read, request)).data).toEqual({ gigabytes: 3, costPerGigabyte: null });
  }
  const recorded = `select from audit_log where action in ('EXIT_BUDGET_CHANGED', 'NODE_BUDGET_CHANGED')`;
  expect(await testApp.database.query(recorded)).toHaveLength(2);
});

test('an unknown exit or node has none, and who only reads sets none', async () => {
  const params = { id: '00000000-0000-4000-8000-000000000001' };
  for (const endpoint of [getExitTraffic, getNodeTraffic])
    await expect(admin.call(endpoint, { params })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  for (const endpoint of [changeExitTraffic, changeNodeTraffic]) {
    await expect(admin.call(endpoint, { params, body: { gigabytes: 1 } })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    const support = await createUser(testApp, { roleName: 'SUPPORT' });
    await expect(support.call(endpoint, { params, body: { gigabytes: 1 } })).rejects.toMatchObject({
      code: 'FORBIDDEN',
    });
    await expect(admin.call(endpoint, { params, body: { gigabytes: 0 } })).rejects.toMatchObject({
      code: 'VALIDATION',
    });
  }
});

test('a budget that several staff save at once is that of one of them', async () => {
  const { exit } = await openExit();
  const save = (gigabytes: number) => admin.call(changeExitTraffic, { params: { id: exit.id }, body: { gigabytes } });
  await Promise.all([3, 4, 5, 6].map(save));
  const saved = (await budgets()).filter(({ exitId }) => exitId === exit.id);
  expect(saved).toHaveLength(1);
  expect([3, 4, 5, 6]).toContain(saved[0]!.gigabytes);
});
