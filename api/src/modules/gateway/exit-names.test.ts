/** Where names of destinations behind another proxy are resolved: what gateways get, and what staff see. */
import { connect } from '@cellhop/contract/connections';
import type { ExitCapabilities } from '@cellhop/contract/exit-checks';
import { listAuditLog } from '@cellhop/contract/staff/audit-log';
import { changeExitNames } from '@cellhop/contract/staff/exit-checks';
import { applyImport, checkImport, listInventory } from '@cellhop/contract/staff/inventory';
import { importColumns } from '@cellhop/contract/staff/inventory.values';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type CheckingNode, checkOk, createCheckingNode, createUncheckedExit } from '../../../test/checking-node.ts';
import { createUser, defaultExit, type TestUser } from '../../../test/factories.ts';
import { createGatewayRun } from '../../../test/gateway-client.ts';
import { runJobs } from '../../../test/mail.ts';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';

let testApp: TestApp;
let admin: TestUser;
let customer: TestUser;
beforeAll(async () => {
  testApp = await startTestApp();
  admin = await createUser(testApp, { roleName: 'ADMIN' });
  customer = await createUser(testApp, { balanceMicros: 100_000_000n });
});
afterAll(() => testApp.stop());

const find = async (ip: string) => (await admin.call(listInventory, { query: { ip } })).data[0]!;

/** Imports a proxy behind a SOCKS5 proxy. @returns its exit */
async function importProxy(node: CheckingNode, ip: string, { password = 'secret', price = 0.8 } = {}) {
  const exit = `socks5://operator:${password}@gate.test:7000`;
  const line = `${ip},${price},DE,Berlin,Berlin,10115,Telekom,LTE,${node.name},socks5,${exit}`;
  const file = { type: 'text/csv', content: `${importColumns.join(',')}\n${line}` };
  const { data } = await admin.call(checkImport, { query: { format: 'csv', fileName: 'stock.csv' } }, { file });
  expect(data.errors).toEqual([]);
  await admin.call(applyImport, { params: { id: data.id! } });
  await runJobs(testApp);
  return (await find(ip)).exit.id;
}

/** All exits of the node are checked. */
async function check(node: CheckingNode, exitId: string, capabilities: ExitCapabilities) {
  await node.exchange({ checks: [checkOk(exitId, { capabilities })] });
}

async function takeDue(node: CheckingNode) {
  await node.letTimePass(4_000);
  const { due, capabilityIds } = await node.exchange({ wanted: 256 });
  return { names: due.map((exit) => 'names' in exit && exit.names), capabilityIds };
}

const testedAgo = (exitId: string, minutes: number) =>
  testApp.database.query(
    `update exit_checks set capabilities_at = now() - $2 * interval '1 minute' where exit_id = $1`,
    [exitId, minutes],
  );

describe('names behind another proxy', () => {
  test('are resolved through it where it is imported now, for checks and for connections', async () => {
    const node = await createCheckingNode(testApp);
    const exitId = await importProxy(node, '192.0.2.1');
    expect(await takeDue(node)).toEqual({ names: ['exit'], capabilityIds: [exitId] });
    await check(node, exitId, { dns: true });
    const { id, exit } = await find('192.0.2.1');
    expect(exit).toMatchObject({ address: 'socks5://gate.test:7000', names: 'exit' });
    const { data: connection } = await customer.call(connect, { body: { id, price: 0.8 } });
    const authorized = await createGatewayRun(testApp, node.token).authorize(connection);
    expect(authorized).toMatchObject({ exit: { id: exitId, names: 'exit' } });
  });

  test('go on being resolved by the node where an earlier release has created the exit, until its login changes', async () => {
    const node = await createCheckingNode(testApp);
    const before = await importProxy(node, '192.0.2.2');
    await testApp.database.query(`update exits set parameters = parameters - 'names' where id = $1`, [before]);
    expect((await takeDue(node)).names).toEqual(['node']);
    expect(await importProxy(node, '192.0.2.2', { price: 0.9 })).toBe(before);
    expect((await find('192.0.2.2')).exit.names).toBe('node');
    expect(await importProxy(node, '192.0.2.2', { password: 'changed' })).not.toBe(before);
    expect((await find('192.0.2.2')).exit.names).toBe('exit');
  });

  test('are resolved through an exit of an earlier release, or by the node, when staff say so, and the exit is checked', async () => {
    const node = await createCheckingNode(testApp);
    const { id } = await createUncheckedExit(testApp, node);
    const exchange = async () => (await node.exchange({ wanted: 9 })).due.map((exit) => 'names' in exit && exit.names);
    expect(await exchange()).toEqual(['node']);
    const change = (names: 'exit' | 'node', user = admin, exitId = id) =>
      user.call(changeExitNames, { params: { id: exitId }, body: { names, reason: 'as its customers expect' } });
    await expect(change('exit', customer)).rejects.toMatchObject({ code: 'FORBIDDEN' });
    await expect(change('exit', admin, randomUUID())).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(change('exit', admin, await defaultExit(testApp))).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(await exchange()).toEqual([]);
    for (const names of ['exit', 'node'] as const) {
      await change(names);
      expect(await exchange()).toEqual([names]);
    }
    const { data } = await admin.call(listAuditLog, { query: { action: ['EXIT_NAMES_CHANGED'] } });
    expect(data.map(({ before, after }) => [before, after])).toEqual([
      [{ names: 'exit' }, { names: 'node' }],
      [{ names: 'node' }, { names: 'exit' }],
    ]);
  });

  test('are resolved by the node while a check has found that DNS does not work through the proxy', async () => {
    const node = await createCheckingNode(testApp);
    const exitId = await importProxy(node, '192.0.2.3');
    await check(node, exitId, { dns: false });
    const { id, exit } = await find('192.0.2.3');
    expect(exit.names).toBe('node');
    const { data: connection } = await customer.call(connect, { body: { id, price: 0.8 } });
    const authorized = await createGatewayRun(testApp, node.token).authorize(connection);
    expect(authorized).toMatchObject({ exit: { names: 'node' } });
    // Tested again soon, and not as rarely as what works.
    expect(await takeDue(node)).toEqual({ names: ['node'], capabilityIds: [] });
    await testedAgo(exitId, 6);
    expect(await takeDue(node)).toEqual({ names: ['node'], capabilityIds: [exitId] });
    // The node could not ask anybody itself: nothing is known that was not known before.
    await check(node, exitId, {});
    expect((await takeDue(node)).names).toEqual(['node']);
    await check(node, exitId, { dns: true });
    expect(await takeDue(node)).toEqual({ names: ['exit'], capabilityIds: [] });
    await testedAgo(exitId, 6);
    expect((await takeDue(node)).capabilityIds).toEqual([]);
    await check(node, exitId, {});
    expect((await find('192.0.2.3')).exit.names).toBe('exit');
  });

  test('are tested again when customers’ tunnels fail, once a minute at most', async () => {
    const node = await createCheckingNode(testApp);
    const exitId = await importProxy(node, '192.0.2.4');
    const suspect = async () => {
      await node.letTimePass(11);
      return (await node.exchange({ suspectIds: [exitId], wanted: 9 })).capabilityIds;
    };
    await check(node, exitId, { dns: true });
    expect(await suspect()).toEqual([]);
    await testedAgo(exitId, 2);
    expect(await suspect()).toEqual([exitId]);
  });

  test('are nothing that an address of the node’s host could have', async () => {
    const node = await createCheckingNode(testApp);
    const upstream = await createUncheckedExit(testApp, node);
    const inventory = (await admin.call(listInventory, { query: { country: [upstream.countryCode] } })).data;
    expect(inventory.map(({ exit }) => exit.names)).toEqual(['node']);
    await testApp.database.query(
      `insert into exits (node_id, kind, key, parameters)
       select id, 'local-address', 'local-address://192.0.2.99', '{"address": "192.0.2.99"}' from gateway_nodes where name = $1`,
      [node.name],
    );
    const [local] = await testApp.database.query<{ id: string }>(
      `select id from exits where key = 'local-address://192.0.2.99'`,
    );
    await testApp.database.query('update proxies set exit_id = $2 where id = $1', [upstream.proxyId, local!.id]);
    const [moved] = (await admin.call(listInventory, { query: { country: [upstream.countryCode] } })).data;
    expect(moved!.exit).toMatchObject({ kind: 'local-address', names: null });
    const { due } = await node.exchange({ wanted: 9 });
    expect(due).toEqual([{ kind: 'local-address', id: local!.id, address: '192.0.2.99' }]);
  });
});
