import { connect, disconnect, type Connection } from '@cellhop/contract/connections';
import { refundConnection } from '@cellhop/contract/staff/connections';
import { exportMargins, listMarginMonths, listMargins, type MarginGroup } from '@cellhop/contract/staff/margins';
import { changeExitTraffic, changeNodeTraffic, getExitTraffic } from '@cellhop/contract/staff/traffic-budgets';
import { toMicros } from '@cellhop/contract/units';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { MB, use } from '../../../test/billed-connections.ts';
import { createExit, createProxy, createUser, type ProxyOptions, type TestUser } from '../../../test/factories.ts';
import { createGatewayRun } from '../../../test/gateway-client.ts';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { addNode } from '../gateway/gateway.service.ts';
import { watchBudgets } from './budgets.service.ts';
import { countRevenue } from './margins.service.ts';

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

const MARCH = '2026-03-10T12:00:00Z';

async function openNode(name: string, place: ProxyOptions) {
  const run = createGatewayRun(testApp, await addNode(testApp.ctx, name));
  const exitId = await createExit(testApp, name, '192.0.2.7');
  const [node] = await testApp.database.query<{ id: string }>('select id from gateway_nodes where name = $1', [name]);
  const buy = async () => {
    const id = await createProxy(testApp, { ...place, exitId });
    const { data } = await customer.call(connect, { body: { id, price: 0.8 } });
    await run.authorize(data);
    return data;
  };
  return { run, exitId, nodeId: node!.id, buy };
}

/** Everything since the last count happened then. */
async function happenedAt(time: string): Promise<void> {
  for (const statement of [
    'alter table transfers disable trigger transfers_append_only',
    `update transfers set created_at = '${time}' where id > (select transfer_id from revenue_mark)`,
    'alter table transfers enable trigger transfers_append_only',
    `update connections set synced_at = '${time}' where synced_at is not null`,
  ])
    await testApp.database.query(statement);
}

async function count(time = MARCH): Promise<void> {
  await happenedAt(time);
  await watchBudgets(testApp.ctx);
  await countRevenue(testApp.ctx);
}

const read = (by: MarginGroup = 'exit', month = '2026-03') => admin.call(listMargins, { query: { month, by } });
const setCost = (id: string, costPerGigabyte: number | null) =>
  admin.call(changeExitTraffic, { params: { id }, body: { costPerGigabyte } });
const moveTo = (run: ReturnType<typeof createGatewayRun>, connection: Connection, megabytes: number) =>
  use(run, connection, BigInt(megabytes * MB));

test('a month is shown by exit, gateway, country and operator, and each has the sum of its rows', async () => {
  const berlin = await openNode('berlin', { countryCode: 'DE', isp: 'Telekom' });
  const paris = await openNode('paris', { countryCode: 'FR', isp: 'Orange' });
  await setCost(berlin.exitId, 0.5);
  await admin.call(changeNodeTraffic, { params: { id: berlin.nodeId }, body: { costPerGigabyte: 0.1 } });
  await moveTo(berlin.run, await berlin.buy(), 1024);
  await moveTo(paris.run, await paris.buy(), 512);
  await count();

  const withCost = {
    trafficUsed: 1_048_576,
    trafficWithoutCost: 0,
    revenue: 8.192,
    cost: 0.6,
    margin: 7.592,
    marginPercent: 92.6,
  };
  const without = {
    trafficUsed: 524_288,
    trafficWithoutCost: 524_288,
    revenue: 4.096,
    cost: null,
    margin: 4.096,
    marginPercent: 100,
  };
  const { data } = await read();
  expect(data).toEqual([
    { id: berlin.exitId, node: 'berlin', exit: '192.0.2.7', ...withCost },
    { id: paris.exitId, node: 'paris', exit: '192.0.2.7', ...without },
  ]);
  const firstIds = { exit: berlin.exitId, node: berlin.nodeId, country: 'DE', operator: 'Telekom' };
  for (const by of ['exit', 'node', 'country', 'operator'] as const) {
    const { data, total, totalPages } = await read(by);
    expect(data[0]).toMatchObject({ id: firstIds[by], ...withCost });
    expect([data.length, totalPages]).toEqual([2, 1]);
    expect(total).toEqual({
      trafficUsed: 1_572_864,
      trafficWithoutCost: 524_288,
      revenue: 12.288,
      cost: 0.6,
      margin: 11.688,
      marginPercent: 95.1,
    });
    for (const key of ['revenue', 'margin'] as const)
      expect(data.reduce((sum, row) => sum + toMicros(row[key]), 0n)).toBe(toMicros(total[key]));
  }
  expect((await admin.call(listMarginMonths, {})).data).toEqual(['2026-03']);
  const secondPage = await admin.call(listMargins, { query: { month: '2026-03', page: 2, size: 1 } });
  expect(secondPage.data.map(({ id }) => id)).toEqual([paris.exitId]);
  expect(secondPage).toMatchObject({ totalPages: 2, total: { revenue: 12.288 } });
});

test('traffic costs what applied when it flowed, not what applies when it is counted', async () => {
  const { run, exitId, buy } = await openNode('berlin', {});
  const connection = await buy();
  await setCost(exitId, 1);
  await moveTo(run, connection, 512);
  await happenedAt(MARCH);
  await setCost(exitId, 2);
  await moveTo(run, connection, 1024);
  await happenedAt(MARCH);
  await setCost(exitId, null);
  await count();
  expect((await read()).data).toMatchObject([{ trafficWithoutCost: 0, cost: 1.5 }]);
  await moveTo(run, connection, 1280);
  await count();
  expect((await read()).data).toMatchObject([
    { trafficUsed: 1280 * 1024, trafficWithoutCost: 256 * 1024, revenue: 10.24, cost: 1.5, margin: 8.74 },
  ]);
  const entries = await testApp.database.query<{ details: object }>(
    `select details from audit_log where action = 'EXIT_COST_CHANGED' order by id`,
  );
  expect(entries.map(({ details }) => details)).toMatchObject([
    { exitId, before: { costPerGigabyte: null }, after: { costPerGigabyte: 1 } },
    { exitId, before: { costPerGigabyte: 1 }, after: { costPerGigabyte: 2 } },
    { exitId, before: { costPerGigabyte: 2 }, after: { costPerGigabyte: null } },
  ]);
});

test('what went back is no revenue, in the month in which it went back', async () => {
  const { run, exitId, buy } = await openNode('berlin', {});
  await setCost(exitId, 0);
  const [returned, kept] = [await buy(), await buy()];
  await moveTo(run, kept, 100);
  await count();
  expect((await read()).data).toMatchObject([{ revenue: 1.2, cost: 0, margin: 1.2, marginPercent: 100 }]);

  await run.end(returned.id, 0);
  await customer.call(disconnect, { params: { id: returned.id } });
  const refund = { params: { id: kept.id }, body: { amount: 0.3, reason: 'it was slow' } };
  await admin.call(refundConnection, refund, { headers: { 'idempotency-key': 'the-refund-of-this-test' } });
  await count('2026-04-02T00:00:00Z');
  expect((await read()).data).toMatchObject([{ revenue: 1.2 }]);
  expect((await read('exit', '2026-04')).data).toMatchObject([
    { trafficUsed: 0, revenue: -0.7, cost: 0, margin: -0.7, marginPercent: null },
  ]);
  expect((await admin.call(listMarginMonths, {})).data).toEqual(['2026-04', '2026-03']);
});

test('nothing is counted twice, by several workers at once either', async () => {
  const { run, buy } = await openNode('berlin', {});
  await moveTo(run, await buy(), 100);
  await happenedAt(MARCH);
  await Promise.all([1, 2, 3].flatMap(() => [countRevenue(testApp.ctx), watchBudgets(testApp.ctx)]));
  await count();
  expect((await read()).total).toMatchObject({ trafficUsed: 100 * 1024, revenue: 0.8 });
});

test('a cost that several staff save at once is that of one of them', async () => {
  const { exitId } = await openNode('berlin', {});
  await Promise.all([0.1, 0.2, 0.3, 0.4].map((cost) => setCost(exitId, cost)));
  const { data } = await admin.call(getExitTraffic, { params: { id: exitId } });
  expect([0.1, 0.2, 0.3, 0.4]).toContain(data.costPerGigabyte);
});

test.each([-0.1, 1000.000001, 0.0000001])('a cost of %d is refused', async (cost) => {
  const { exitId } = await openNode('berlin', {});
  await expect(setCost(exitId, cost)).rejects.toMatchObject({ code: 'VALIDATION' });
});

test('a petabyte at the highest cost is counted', async () => {
  const { exitId } = await openNode('berlin', {});
  await testApp.database.query(
    `insert into month_sums (month, exit_id, country_code, isp, exit_micros, node_micros, used_bytes)
     values ('2026-03-01', $1, 'DE', 'Telekom', 1000000000, 1000000000, 1125899906842624)`,
    [exitId],
  );
  expect((await read()).total).toMatchObject({ trafficUsed: 2 ** 40, cost: 2_097_152_000, margin: -2_097_152_000 });
});

test('a file has the rows with plain numbers, also negative ones, and is recorded', async () => {
  const { run, exitId, nodeId, buy } = await openNode('=berlin', { isp: '=Telekom' });
  await setCost(exitId, 10);
  await moveTo(run, await buy(), 1024);
  await count();
  const file = async (by: MarginGroup) => {
    const query = new URLSearchParams({ month: '2026-03', by });
    const response = await fetch(`${testApp.url}${exportMargins.url}?${query}`, { headers: admin.headers });
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="margins-2026-03.csv"');
    return (await response.text()).split('\r\n');
  };
  const numbers = '1,0,8.192,10,-1.808,-22';
  const header = 'gigabytes,gigabytesWithoutCost,revenue,cost,margin,marginPercent';
  expect(await file('exit')).toEqual([
    `month,id,gateway,exit,${header}`,
    `2026-03,${exitId},'=berlin,192.0.2.7,${numbers}`,
    '',
  ]);
  expect(await file('node')).toEqual([`month,id,gateway,${header}`, `2026-03,${nodeId},'=berlin,${numbers}`, '']);
  expect(await file('country')).toEqual([`month,country,${header}`, `2026-03,DE,${numbers}`, '']);
  expect(await file('operator')).toEqual([`month,operator,${header}`, `2026-03,'=Telekom,${numbers}`, '']);
  const recorded = `select details from audit_log where action = 'MARGINS_EXPORTED'`;
  expect(await testApp.database.query(recorded)).toHaveLength(4);
});

test('a month without traffic is empty, and who may not read money reads no margins', async () => {
  const zero = { trafficUsed: 0, trafficWithoutCost: 0, revenue: 0, cost: null, margin: 0, marginPercent: null };
  expect(await read('exit', '2999-12')).toEqual({ data: [], totalPages: 0, total: zero });
  for (const month of ['2026-13', '0000-01', '2026-3'])
    await expect(read('exit', month)).rejects.toMatchObject({ code: 'VALIDATION' });
  const support = await createUser(testApp, { roleName: 'SUPPORT' });
  await expect(support.call(listMargins, { query: { month: '2026-03' } })).rejects.toMatchObject({ code: 'FORBIDDEN' });
});
