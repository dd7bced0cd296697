/** A proxy that promises no address is known by its exit, and shown at the address that the checks of its exit see. */
import { connect, disconnect, listConnections } from '@cellhop/contract/connections';
import { searchProxies } from '@cellhop/contract/proxies';
import { getReceipt } from '@cellhop/contract/receipts';
import { listAllConnections } from '@cellhop/contract/staff/connections';
import { exportInventory, listInventory } from '@cellhop/contract/staff/inventory';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CheckingNode, checkOk, createCheckingNode, createUncheckedExit } from '../../../test/checking-node.ts';
import { createProxy, createUser, type TestUser } from '../../../test/factories.ts';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import * as imports from './imports.store.ts';
import { type ExportedRow, listAfter } from './inventory.store.ts';

let testApp: TestApp;
let admin: TestUser;
let customer: TestUser;
let node: CheckingNode;
beforeAll(async () => {
  testApp = await startTestApp();
  admin = await createUser(testApp, { roleName: 'ADMIN' });
  customer = await createUser(testApp, { balanceMicros: 100_000_000n });
  node = await createCheckingNode(testApp);
});
afterAll(() => testApp.stop());

async function createRotating(seenAddress: string) {
  const exit = await createUncheckedExit(testApp, node);
  await testApp.database.query('update proxies set ip = null where id = $1', [exit.proxyId]);
  await node.exchange({ checks: [checkOk(exit.id, { seenAddress })] });
  return exit;
}

test('the catalogue, staff and the connection show the address that is seen, and the connection keeps it', async () => {
  const exit = await createRotating('198.51.100.1');
  const { data: found } = await customer.call(searchProxies, { query: { country: [exit.countryCode] } });
  expect(found.map(({ ip }) => ip)).toEqual(['198.51.100.1']);
  const { data: connection } = await customer.call(connect, { body: { id: exit.proxyId, price: 0.8 } });
  expect(connection.ip).toBe('198.51.100.1');
  await node.exchange({ checks: [checkOk(exit.id, { seenAddress: '198.51.100.2' })] });
  const { data: inventory } = await admin.call(listInventory, { query: { ip: '198.51.100.2' } });
  expect(inventory).toMatchObject([
    { id: exit.proxyId, ip: '198.51.100.2', check: { seenAddress: '198.51.100.2', isAddressDifferent: false } },
  ]);
  const { data: own } = await customer.call(listConnections, { query: { id: connection.id } });
  const receipt = (await customer.call(getReceipt, { params: { id: connection.id } })).data;
  expect([own[0]!.ip, receipt.ip]).toEqual(['198.51.100.1', '198.51.100.1']);
  await customer.call(disconnect, { params: { id: connection.id } });
  for (const ip of ['198.51.100.1', '198.51.100.2'])
    expect((await admin.call(listAllConnections, { query: { ip } })).data.map(({ id }) => id)).toEqual([connection.id]);
});

test('staff see both addresses of a proxy that promises one', async () => {
  const exit = await createUncheckedExit(testApp, node);
  await testApp.database.query(`update proxies set ip = '203.0.113.9' where id = $1`, [exit.proxyId]);
  await node.exchange({ checks: [checkOk(exit.id, { seenAddress: '198.51.100.9' })] });
  const { data } = await admin.call(listInventory, { query: { country: [exit.countryCode] } });
  expect(data).toMatchObject([{ ip: '203.0.113.9', check: { seenAddress: '198.51.100.9', isAddressDifferent: true } }]);
  const { data: found } = await customer.call(searchProxies, { query: { country: [exit.countryCode] } });
  expect(found.map(({ ip }) => ip)).toEqual(['203.0.113.9']);
});

test('a promised address is unique among all proxies, sold and retired ones included', async () => {
  const [sold, retired] = [await createProxy(testApp), await createProxy(testApp)];
  await testApp.database.query(`update proxies set ip = '203.0.113.20' where id = $1`, [sold]);
  await testApp.database.query(`update proxies set ip = '203.0.113.21', retired_at = now() where id = $1`, [retired]);
  await customer.call(connect, { body: { id: sold, price: 0.8 } });
  const third = await createProxy(testApp);
  for (const ip of ['203.0.113.20', '203.0.113.21'])
    await expect(testApp.database.query('update proxies set ip = $2 where id = $1', [third, ip])).rejects.toMatchObject(
      { code: '23505' },
    );
  const rotating = [await createRotating('198.51.100.30'), await createRotating('198.51.100.30')];
  expect(new Set(rotating.map(({ proxyId }) => proxyId)).size).toBe(2);
});

test('lists and exports have those without an address, each once', async () => {
  for (let index = 0; index < 3; index += 1) await createRotating('198.51.100.40');
  const all = await testApp.database.query<{ id: string }>('select id from proxies');
  for (const sort of ['ip', '-ip'] as const) {
    const { data } = await admin.call(listInventory, { query: { sort, size: 100 } });
    expect(new Set(data.map(({ id }) => id))).toEqual(new Set(all.map(({ id }) => id)));
  }
  const listed: string[] = [];
  for (let after: ExportedRow | undefined; ;) {
    const rows = await listAfter(testApp.ctx, {}, after, 2);
    listed.push(...rows.map(({ id }) => id));
    if (rows.length < 2) break;
    after = rows.at(-1);
  }
  expect(listed).toHaveLength(all.length);
  expect(new Set(listed)).toEqual(new Set(all.map(({ id }) => id)));
  const text = await (
    await fetch(`${testApp.url}${exportInventory.url}?format=csv`, { headers: admin.headers })
  ).text();
  expect(text.trim().split('\r\n')).toHaveLength(all.length + 1);
  expect(text).toMatch(/^,0\.8,/m);
});

test('an imported line without an address finds the proxy by its exit', async () => {
  const exit = await createRotating('198.51.100.50');
  const importId = await imports.insertImport(testApp.ctx, {
    actorId: null,
    fileName: 'a.csv',
    sha256: Buffer.alloc(32),
  });
  const stage = async (price: number, key: string) =>
    testApp.database.query(
      `insert into catalogue_import_rows (import_id, price_micros, country_code, region, city, zip, isp, connection_type, node_id, exit_kind, exit_keys,
                                          exit_parameters)
       select $1, $2, country_code, region, city, zip, isp, connection_type, node_id, kind, array[$4], '{"host": "new.test", "port": 1}'
         from proxies join exits on exits.id = exit_id where proxies.id = $3`,
      [importId, price, exit.proxyId, key],
    );
  const [{ key }] = (await testApp.database.query<{ key: string }>('select key from exits where id = $1', [
    exit.id,
  ])) as [{ key: string }];
  await stage(700_000, key);
  await stage(600_000, 'http://new.test:1');
  expect(await imports.countChanges(testApp.ctx, importId)).toEqual({
    newCount: 1,
    changedCount: 1,
    unchangedCount: 0,
  });
});
