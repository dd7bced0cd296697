/** Country and operator come from files of the operator, for lines that do not say them and for checks. */
import { applyImport, checkImport, listInventory } from '@cellhop/contract/staff/inventory';
import { getAttention } from '@cellhop/contract/staff/dashboard';
import { listWaiting } from '@cellhop/contract/staff/waiting-proxies';
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type CheckingNode, checkOk, createCheckingNode, createUncheckedExit } from '../../../test/checking-node.ts';
import { createUser, type TestUser } from '../../../test/factories.ts';
import { runJobs } from '../../../test/mail.ts';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';

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
