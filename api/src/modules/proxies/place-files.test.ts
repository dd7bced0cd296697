/**
 * Country and operator come from files of the operator, for lines that do not say them and for checks.
 * @module-tag thorough
 */
import { checkConnection } from '@cellhop/contract/connection-checks';
import { connect } from '@cellhop/contract/connections';
import { applyImport, checkImport, listInventory } from '@cellhop/contract/staff/inventory';
import { getAttention } from '@cellhop/contract/staff/dashboard';
import { listWaiting } from '@cellhop/contract/staff/waiting-proxies';
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  type CheckingNode,
  checkFailed,
  checkOk,
  createCheckingNode,
  createUncheckedExit,
} from '../../../test/checking-node.ts';
import { createUser, type TestUser } from '../../../test/factories.ts';
import { runJobs } from '../../../test/mail.ts';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { updateSums } from '../dashboard/sums.service.ts';

const fixture = (name: string) => new URL(`../../../test/mmdb/GeoLite2-${name}-Test.mmdb`, import.meta.url);
/** AS29518 in Sweden by the files; and one that neither knows. */
const [SWEDEN, NOWHERE] = ['89.160.20.113', '198.51.100.7'];

let testApp: TestApp;
let admin: TestUser;
let node: CheckingNode;
let folder: string;
let countryFile: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'places-'));
  countryFile = path.join(folder, 'country.mmdb');
  const operatorFile = path.join(folder, 'operator.mmdb');
  await copyFile(fixture('ASN'), operatorFile);
  testApp = await startTestApp({ places: { countryFile, operatorFile } });
  admin = await createUser(testApp, { roleName: 'ADMIN' });
  node = await createCheckingNode(testApp);
});
beforeEach(() => copyFile(fixture('Country'), countryFile));
afterAll(async () => {
  await testApp.stop();
  await rm(folder, { recursive: true });
});

const stated = { price: 0.8, connectionType: 'LTE', exitKind: 'socks5' as const };
async function check(content: string) {
  const query = { format: 'csv' as const, fileName: 'list.txt', ...stated, node: node.name };
  return (await admin.call(checkImport, { query }, { file: { type: 'text/csv', content } })).data;
}
async function importAll(content: string) {
  const { id, errors } = await check(content);
  expect(errors).toEqual([]);
  await admin.call(applyImport, { params: { id: id! } });
  await runJobs(testApp);
}
const table = (ip: string) => `ip,exit\n${ip},socks5://gate.test:7001`;
const waiting = async () => (await admin.call(listWaiting, { query: {} })).data;
const proxyAt = async (ip: string) => (await admin.call(listInventory, { query: { ip } })).data[0];
const unreadable = async () => (await admin.call(getAttention, {})).data.unreadableFiles;

const countElsewhere = async () => {
  await updateSums(testApp.ctx);
  return (await admin.call(getAttention, {})).data.proxiesElsewhere;
};
const listElsewhere = async () => {
  const { data } = await admin.call(listInventory, { query: { state: 'ELSEWHERE' } });
  return data.map(({ id, check }) => `${id} ${check.isPlaceDifferent}`);
};

describe('a line without country and operator', () => {
  test('waits for them with its address, and gets them from the first check that sees an address of the files', async () => {
    await importAll('gate.test:7000:user:pass');
    const [line] = await waiting();
    expect(line).toMatchObject({ countryCode: 'ZZ', isp: '-', asn: null });
    await node.exchange({ checks: [checkOk(line!.exitId, { seenAddress: NOWHERE })] });
    expect(await waiting()).toMatchObject([{ countryCode: 'ZZ', seenAddress: NOWHERE }]);
    await node.exchange({ checks: [checkOk(line!.exitId, { seenAddress: SWEDEN })] });
    expect(await waiting()).toEqual([]);
    const place = { countryCode: 'SE', isp: 'Bredband2 AB', asn: 29_518 };
    expect(await proxyAt(SWEDEN)).toMatchObject({ ...place, state: 'FREE', check: { isPlaceDifferent: false } });
    expect(await check('gate.test:7000:user:pass')).toMatchObject({ unchangedCount: 1, changedCount: 0 });
  });

  test('gets them at once if it has an address, and is an error if no file has the address', async () => {
    expect((await check(table('89.160.20.114'))).preview).toMatchObject([{ place: 'SE, -, -, -, Bredband2 AB, LTE' }]);
    expect(await check(table(NOWHERE))).toMatchObject({ id: null, errors: [{ line: 2, column: 'countryCode' }] });
  });
});

test('a check shows country and operator of the address that it sees, and whether they are others than those that are sold', async () => {
  const exit = await createUncheckedExit(testApp, node);
  await testApp.database.query(`update proxies set country_code = 'DE', ip = '203.0.113.7' where id = $1`, [
    exit.proxyId,
  ]);
  await node.exchange({ checks: [checkOk(exit.id, { seenAddress: '89.160.20.115' })] });
  expect((await proxyAt('203.0.113.7'))!.check).toMatchObject({
    seenPlace: { countryCode: 'SE', isp: 'Bredband2 AB', asn: 29_518 },
    isPlaceDifferent: true,
  });
  await node.exchange({ checks: [checkOk(exit.id, { seenAddress: NOWHERE })] });
  expect((await proxyAt('203.0.113.7'))!.check).toMatchObject({ seenPlace: null, isPlaceDifferent: false });
});

describe('a proxy that leaves elsewhere than it is sold', () => {
  test('needs attention and is listed, free or sold, until it is retired or a check sees what is sold', async () => {
    await testApp.reset();
    [admin, node] = [await createUser(testApp, { roleName: 'ADMIN' }), await createCheckingNode(testApp)];
    const [country, operator, right] = [
      await createUncheckedExit(testApp, node),
      await createUncheckedExit(testApp, node),
      await createUncheckedExit(testApp, node),
    ];
    const sell = (id: string, countryCode: string, asn: number | null) =>
      testApp.database.query('update proxies set country_code = $2, asn = $3 where id = $1', [id, countryCode, asn]);
    await sell(country.proxyId, 'DE', null);
    await sell(operator.proxyId, 'SE', 3320);
    await sell(right.proxyId, 'SE', 29_518);
    const checks = [country, operator, right].map(({ id }) => checkOk(id, { seenAddress: SWEDEN }));
    await node.exchange({ checks });
    expect(await countElsewhere()).toBe(2);
    expect(new Set(await listElsewhere())).toEqual(new Set([`${country.proxyId} true`, `${operator.proxyId} true`]));
    await testApp.database.query('update proxies set retired_at = now() where id = $1', [operator.proxyId]);
    expect(await countElsewhere()).toBe(1);
    expect(await listElsewhere()).toEqual([`${country.proxyId} true`]);
    // What a failed check leaves is what was seen last.
    await node.exchange({ checks: [checkFailed(country.id)] });
    expect(await countElsewhere()).toBe(1);
    await node.exchange({ checks: [checkOk(country.id, { seenAddress: NOWHERE })] });
    expect(await countElsewhere()).toBe(0);
    expect(await listElsewhere()).toEqual([]);
  });

  test('is shown to its customer by the test; where the address may change, another one alone is no difference', async () => {
    const customer = await createUser(testApp, { balanceMicros: 100_000_000n });
    const exit = await createUncheckedExit(testApp, node);
    await testApp.database.query(`update proxies set country_code = 'DE', asn = 29518, ip = $2 where id = $1`, [
      exit.proxyId,
      '203.0.113.9',
    ]);
    const seen = checkOk(exit.id, { seenAddress: '89.160.20.117' });
    await node.exchange({ checks: [seen] });
    const { data: connection } = await customer.call(connect, { body: { id: exit.proxyId, price: 0.8 } });
    const test = async () => (await customer.call(checkConnection, { params: { id: connection.id } })).data;
    expect(await test()).toMatchObject({ state: 'RUNNING' });
    await node.exchange({ checks: [seen] });
    expect(await test()).toMatchObject({
      state: 'OK',
      address: '89.160.20.117',
      countryCode: 'DE',
      seenPlace: { countryCode: 'SE', isp: 'Bredband2 AB', asn: 29_518 },
      isAsSold: { address: false, country: false, operator: true },
    });
    await testApp.database.query('insert into exit_rotations (exit_id, link_encrypted) values ($1, $2)', [
      exit.id,
      Buffer.from('sealed'),
    ]);
    expect((await test()).isAsSold).toEqual({ address: null, country: false, operator: true });
    const capabilities = { udp: true, dns: false, resolver: '89.160.20.112' };
    await node.exchange({ checks: [checkOk(exit.id, { capabilities })] });
    expect(await test()).toMatchObject({
      udp: true,
      ipv6: null,
      resolver: { address: '89.160.20.112', countryCode: 'SE', isCountryAsSold: false },
    });
    // What a check without these tests leaves is what was found last.
    await node.exchange({ checks: [checkOk(exit.id)] });
    expect(await test()).toMatchObject({ udp: true });
    await node.exchange({ checks: [checkFailed(exit.id)] });
    expect(await test()).toMatchObject({ seenPlace: null, isAsSold: { address: null, country: null, operator: null } });
  });
});

test('a file that is damaged or missing is named, and what was read before stays in use until it is repaired', async () => {
  expect(await unreadable()).toEqual([]);
  const exit = await createUncheckedExit(testApp, node);
  await testApp.database.query(`update proxies set ip = '203.0.113.8' where id = $1`, [exit.proxyId]);
  await node.exchange({ checks: [checkOk(exit.id, { seenAddress: '89.160.20.116' })] });
  for (const damage of [() => writeFile(countryFile, 'no database'), () => rm(countryFile)]) {
    await damage();
    expect(await unreadable()).toEqual([expect.stringMatching(/^MMDB_COUNTRY_FILE: .* cannot be read \(.+\)\.$/)]);
    expect((await proxyAt('203.0.113.8'))!.check.seenPlace).toMatchObject({ countryCode: 'SE' });
  }
  await copyFile(fixture('Country'), countryFile);
  expect(await unreadable()).toEqual([]);
});
