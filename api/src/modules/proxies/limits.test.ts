/** Ports, tunnels and speed: settings, limits of proxies, and how they reach customers and gateways. */
import type { ConnectionLimits } from '@cellhop/contract/connection-limits';
import { connect, listConnections } from '@cellhop/contract/connections';
import { update } from '@cellhop/contract/gateway';
import { searchProxies } from '@cellhop/contract/proxies';
import {
  applyImport,
  changeProxyLimits,
  checkImport,
  exportInventory,
  listInventory,
} from '@cellhop/contract/staff/inventory';
import { importColumns, limitColumns } from '@cellhop/contract/staff/inventory.values';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createProxy, createUser, type TestUser } from '../../../test/factories.ts';
import { createGatewayRun } from '../../../test/gateway-client.ts';
import { runJobs } from '../../../test/mail.ts';
import { startSecondApp, startTestApp, type TestApp } from '../../../test/test-app.ts';
import { addNode, registerNode } from '../gateway/gateway.service.ts';

const SHOP: ConnectionLimits = { ports: 'deny 25', tunnels: 100, bytesPerSecond: null };
const NONE: ConnectionLimits = { ports: null, tunnels: null, bytesPerSecond: null };
const OWN: ConnectionLimits = { ports: 'allow 80 443', tunnels: null, bytesPerSecond: 1_250_000 };

let testApp: TestApp;
let admin: TestUser;
let user: TestUser;
beforeAll(async () => {
  testApp = await startTestApp({ connectionLimits: SHOP });
  await registerNode(testApp.ctx);
  await addNode(testApp.ctx, 'paris');
  admin = await createUser(testApp, { roleName: 'ADMIN' });
  user = await createUser(testApp, { balanceMicros: 100_000_000n });
});
afterAll(() => testApp.stop());

const setLimits = (id: string, limits: ConnectionLimits) =>
  admin.call(changeProxyLimits, { params: { id }, body: limits });
const buy = async (id: string) => (await user.call(connect, { body: { id, price: 0.8 } })).data;

describe('limits of a proxy', () => {
  test('apply over the settings, and are shown in the catalogue and in the connection', async () => {
    const city = `City ${randomUUID()}`;
    const id = await createProxy(testApp, { city });
    const found = async () => (await user.call(searchProxies, { query: { city: [city] } })).data[0]?.limits;
    expect(await found()).toEqual(SHOP);
    await setLimits(id, OWN);
    const effective = { ports: 'allow 80 443', tunnels: 100, bytesPerSecond: 1_250_000 };
    expect(await found()).toEqual(effective);
    const connection = await buy(id);
    expect(connection.limits).toEqual(effective);
    expect((await user.call(listConnections, { query: { id: connection.id } })).data[0]!.limits).toEqual(effective);
  });

  test('reach the gateway with the authorization, and after a change with the next report that asks', async () => {
    const id = await createProxy(testApp);
    const connection = await buy(id);
    const run = createGatewayRun(testApp);
    expect(await run.authorize(connection)).toMatchObject({ limits: SHOP });
    await setLimits(id, OWN);
    const usage = { connectionId: connection.id, usedBytes: 0, uploadedBytes: 0, isExitLost: false };
    const report = async (areLimitsWanted?: boolean) => {
      const usages = [{ ...usage, wantedBytes: 0, accessRevision: 1, areLimitsWanted }];
      return (await run.call(update, { body: { runId: run.runId, usages } })).data[0]!.limits;
    };
    expect(await report()).toBeUndefined();
    expect(await report(true)).toEqual({ ...OWN, tunnels: 100 });
    // Another setting, after a restart of the API.
    const restarted = await startSecondApp(testApp, { connectionLimits: { ...SHOP, tunnels: 7 } });
    const { call } = createGatewayRun(restarted);
    const body = { runId: run.runId, usages: [{ ...usage, wantedBytes: 0, accessRevision: 1, areLimitsWanted: true }] };
    expect((await call(update, { body })).data[0]!.limits).toMatchObject({ tunnels: 7 });
    await restarted.stop();
  });

  test('are changed by staff with the permission, in the canonical form, and audited', async () => {
    const id = await createProxy(testApp);
    await setLimits(id, { ports: ' Deny 465,25 26', tunnels: 5, bytesPerSecond: null });
    const [row] = await testApp.database.query<{ details: object; subjectId: string }>(
      `select details, subject_id as "subjectId" from audit_log where action = 'PROXY_LIMITS_CHANGED' order by id desc limit 1`,
    );
    expect(row).toMatchObject({
      subjectId: id,
      details: { before: NONE, after: { ports: 'deny 25-26 465', tunnels: 5, bytesPerSecond: null } },
    });
    await expect(user.call(changeProxyLimits, { params: { id }, body: NONE })).rejects.toMatchObject({ status: 403 });
    await expect(setLimits(randomUUID(), NONE)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    for (const wrong of [{ ports: '25' }, { tunnels: 0 }, { tunnels: 257 }, { bytesPerSecond: 12_499 }])
      await expect(setLimits(id, { ...NONE, ...wrong })).rejects.toMatchObject({ code: 'VALIDATION' });
  });
});

const line = (ip: string, ...limits: string[]) =>
  [`${ip},0.8,DE,Berlin,Berlin,10115,Telekom,LTE,paris,local-address,`, ...limits].join(',');
const header = (...columns: string[]) => [...importColumns, ...columns].join(',');

async function check(...lines: string[]) {
  const file = { type: 'text/csv', content: lines.join('\r\n') };
  return (await admin.call(checkImport, { query: { format: 'csv', fileName: 'stock.csv' } }, { file })).data;
}
async function importAll(...lines: string[]) {
  const { id, errors } = await check(...lines);
  expect(errors).toEqual([]);
  await admin.call(applyImport, { params: { id: id! } });
  await runJobs(testApp);
}
const limitsOf = async (ip: string) => (await admin.call(listInventory, { query: { ip } })).data[0]?.limits;

describe('an import', () => {
  test('sets limits; empty cells are the settings, and a file without the columns keeps what there is', async () => {
    const ip = '192.0.2.50';
    await importAll(header(...limitColumns), line(ip, '"allow 443,80"', '20', '2.5'));
    const imported = { ports: 'allow 80 443', tunnels: 20, bytesPerSecond: 312_500 };
    expect(await limitsOf(ip)).toEqual(imported);
    expect(await check(header(), line(ip))).toMatchObject({ unchangedCount: 1, changedCount: 0 });
    await importAll(header('tunnels'), line(ip, '30'));
    expect(await limitsOf(ip)).toEqual({ ...imported, tunnels: 30 });
    await importAll(header(...limitColumns), line(ip, '', '', ''));
    expect(await limitsOf(ip)).toEqual(NONE);
    expect(await check(header(...limitColumns), line(ip, '', '', ''))).toMatchObject({ unchangedCount: 1 });
  });

  test('reports wrong limits by their column', async () => {
    const { errors } = await check(header(...limitColumns), line('192.0.2.51', '25', '0', '0.05'));
    expect(errors.map(({ column, problem }) => [column, problem])).toEqual([
      ['ports', 'NOT_A_PORT_RULE'],
      ['tunnels', 'NOT_A_TUNNEL_COUNT'],
      ['megabitsPerSecond', 'NOT_A_SPEED'],
    ]);
  });

  test('of an export changes nothing', async () => {
    const ip = '192.0.2.52';
    await importAll(header(...limitColumns), line(ip, 'deny 25 6881-6889', '', '0.1'));
    const exported = await admin.call(exportInventory, { query: { ip, format: 'csv' } });
    expect(exported).toContain(',deny 25 6881-6889,,0.1');
    expect(await check(...exported.trim().split('\r\n'))).toMatchObject({ unchangedCount: 1, changedCount: 0 });
  });
});
