/** The autonomous system of the operator: a column of a place that files may lack and that may be unknown. */
import { checkConnection } from '@cellhop/contract/connection-checks';
import { connect, listConnections } from '@cellhop/contract/connections';
import { searchProxies } from '@cellhop/contract/proxies';
import { exportAllConnections, listAllConnections } from '@cellhop/contract/staff/connections';
import { applyImport, checkImport, exportInventory, listInventory } from '@cellhop/contract/staff/inventory';
import { importColumns } from '@cellhop/contract/staff/inventory.values';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createUser, markHealthy, type TestUser } from '../../../test/factories.ts';
import { runJobs } from '../../../test/mail.ts';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { addNode, registerNode } from '../gateway/gateway.service.ts';

let testApp: TestApp;
let admin: TestUser;
let user: TestUser;
beforeAll(async () => {
  testApp = await startTestApp();
  await registerNode(testApp.ctx);
  await addNode(testApp.ctx, 'paris');
  admin = await createUser(testApp, { roleName: 'ADMIN' });
  user = await createUser(testApp, { balanceMicros: 100_000_000n });
});
afterAll(() => testApp.stop());

const HEADER = importColumns.join(',');
const line = (ip: string, city = 'Berlin') => `${ip},0.8,DE,Berlin,${city},10115,Telekom,LTE,paris,local-address,`;
const withAsn = (ip: string, asn: string, city?: string) => [`${HEADER},asn`, `${line(ip, city)},${asn}`];

async function check(lines: readonly string[]) {
  const file = { type: 'text/csv', content: lines.join('\r\n') };
  return (await admin.call(checkImport, { query: { format: 'csv', fileName: 'stock.csv' } }, { file })).data;
}
async function apply(id: string | null) {
  await admin.call(applyImport, { params: { id: id! } });
  await runJobs(testApp);
}
async function importAll(lines: readonly string[]) {
  const { id, errors } = await check(lines);
  expect(errors).toEqual([]);
  await apply(id);
}
const asnOf = async (ip: string) => (await admin.call(listInventory, { query: { ip } })).data[0]?.asn;

describe('an import', () => {
  test('sets it, written as AS3320 or 3320; an empty cell means unknown', async () => {
    const ip = '192.0.2.60';
    await importAll(withAsn(ip, 'AS3320'));
    expect(await asnOf(ip)).toBe(3320);
    expect(await check(withAsn(ip, '3320'))).toMatchObject({ unchangedCount: 1, changedCount: 0 });
    await importAll(withAsn(ip, '4294967295'));
    expect(await asnOf(ip)).toBe(4_294_967_295);
    await importAll(withAsn(ip, ''));
    expect(await asnOf(ip)).toBeNull();
    expect(await check(withAsn(ip, ''))).toMatchObject({ unchangedCount: 1, changedCount: 0 });
  });

  test('without the column keeps it, and leaves it unknown for a new proxy', async () => {
    const [known, added] = ['192.0.2.61', '192.0.2.62'];
    await importAll(withAsn(known, '3320'));
    expect(await check([HEADER, line(known)])).toMatchObject({ unchangedCount: 1, changedCount: 0 });
    await importAll([HEADER, line(known, 'Potsdam'), line(added)]);
    expect(await asnOf(known)).toBe(3320);
    expect(await asnOf(added)).toBeNull();
  });

  test.each([
    '0',
    'AS0',
    '4294967296',
    '12345678901',
    '-1',
    '1.5',
    '3320.0',
    'Telekom',
    'AS',
    'AS 3320',
    '0x10',
    '03320',
  ])('refuses %s, and says why', async (asn) => {
    const { errors } = await check(withAsn('192.0.2.64', asn));
    expect(errors).toEqual([{ line: 2, column: 'asn', problem: 'NOT_AN_ASN', value: null }]);
  });

  test.each(['csv', 'json'] as const)(
    'of an export as %s changes nothing, with a number and without one',
    async (format) => {
      const [known, unknown] = format === 'csv' ? ['192.0.2.65', '192.0.2.66'] : ['192.0.2.67', '192.0.2.68'];
      await importAll([...withAsn(known, '3320'), `${line(unknown)},`]);
      for (const ip of [known, unknown]) {
        const content = await admin.call(exportInventory, { query: { ip, format } });
        const type = format === 'csv' ? 'text/csv' : 'application/json';
        const query = { format, fileName: `stock.${format}` };
        const { data } = await admin.call(checkImport, { query }, { file: { type, content } });
        expect(data).toMatchObject({ errors: [], unchangedCount: 1, changedCount: 0, newCount: 0 });
      }
    },
  );
});

test('customers and staff see it where they see the operator', async () => {
  const ip = '192.0.2.69';
  await importAll(withAsn(ip, '3320', 'Trier'));
  await markHealthy(testApp);
  const [proxy] = (await user.call(searchProxies, { query: { city: ['Trier'] } })).data;
  expect(proxy).toMatchObject({ isp: 'Telekom', asn: 3320 });
  const { id, asn } = (await user.call(connect, { body: { id: proxy!.id, price: 0.8 } })).data;
  expect(asn).toBe(3320);
  expect((await user.call(listConnections, { query: { id } })).data[0]).toMatchObject({ asn: 3320 });
  expect((await user.call(checkConnection, { params: { id } })).data).toMatchObject({ asn: 3320 });
  expect((await admin.call(listAllConnections, { query: { id } })).data[0]).toMatchObject({ asn: 3320 });
  expect(await admin.call(exportAllConnections, { query: { userId: user.id } })).toContain(',Telekom,3320,LTE,');
});
