/**
 * An exit is known by its key, whichever key of SECRET_KEY its credentials are sealed with.
 * @module-tag thorough
 */
import { applyImport, checkImport, listInventory } from '@cellhop/contract/staff/inventory';
import { importColumns } from '@cellhop/contract/staff/inventory.values';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createUser, type TestUser } from '../../../test/factories.ts';
import { runJobs } from '../../../test/mail.ts';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { encryptCredentials, hashCredentials } from '../../secrets/exit-credentials.ts';
import { reseal } from '../key-rotation/key-rotation.service.ts';
import { addNode } from './gateway.service.ts';

const OLD = 'the old secret key of the tests, 1';
const NEW = 'the new secret key of the tests, 2';
const CREDENTIALS = { username: 'own', password: 'hidden-pass' };
const PLACE = { host: 'gate.test', port: 7000 };

let testApp: TestApp;
let admin: TestUser;
let nodeId: string;
beforeAll(async () => {
  testApp = await startTestApp({ secretKeys: [OLD] });
  admin = await createUser(testApp, { roleName: 'ADMIN' });
  await addNode(testApp.ctx, 'paris');
  [{ id: nodeId }] = (await query<{ id: string }>(`select id from gateway_nodes where name = 'paris'`)) as [
    { id: string },
  ];
});
afterAll(() => testApp.stop());
beforeEach(() => testApp.reset());

const query = <Row>(sql: string, values: unknown[] = []) => testApp.database.query<Row>(sql, values);
interface Stored {
  id: string;
  key: string;
  parameters: unknown;
}
const stored = () => query<Stored>('select id, key, parameters from exits order by created_at, id');
const sealedWith = (secretKey: string) => ({
  encrypted: encryptCredentials([secretKey], PLACE, CREDENTIALS),
  hash: hashCredentials([secretKey], CREDENTIALS)[0]!,
});
const keyWith = (secretKey: string) => `socks5://gate.test:7000#${sealedWith(secretKey).hash.toString('hex')}`;

async function insertExit(secretKey: string, minutesAgo = 5): Promise<string> {
  const { encrypted, hash } = sealedWith(secretKey);
  const [row] = await query<{ id: string }>(
    `insert into exits (node_id, kind, key, parameters, credentials_encrypted, credentials_hash, created_at)
     values ($1, 'socks5', $2, $3, $4, $5, now() - $6 * interval '1 minute') returning id`,
    [nodeId, keyWith(secretKey), PLACE, encrypted, hash, minutesAgo],
  );
  return row!.id;
}
const insertKey = (key: string) =>
  query(
    `insert into exits (node_id, kind, key, parameters) values ($1, 'socks5', $2, '{"host": "gate.test", "port": 7000}')`,
    [nodeId, key],
  );

const fileOf = (...exits: [kind: string, exit: string][]) =>
  [
    importColumns.join(','),
    ...exits.map(
      ([kind, exit], index) => `192.0.2.${index + 1},0.8,DE,Berlin,Berlin,10115,Telekom,LTE,paris,${kind},${exit}`,
    ),
  ].join('\n');
const LOGIN: [string, string] = ['socks5', 'socks5://own:hidden-pass@gate.test:7000'];
async function check(content: string) {
  const file = { type: 'text/csv', content };
  return (await admin.call(checkImport, { query: { format: 'csv', fileName: 'stock.csv' } }, { file })).data;
}
async function order(id: string) {
  await admin.call(applyImport, { params: { id } });
  await runJobs(testApp);
}
const exitIds = async () => (await admin.call(listInventory, { query: {} })).data.map(({ exit }) => exit.id);

describe('a key is unique at its node', () => {
  test('and a second exit with it is refused', async () => {
    await insertKey('socks5://gate.test:7000');
    await expect(insertKey('socks5://gate.test:7000')).rejects.toMatchObject({ code: '23505' });
  });

  test('also after a rotation of two exits with equal credentials, of which imports find the first', async () => {
    const [first, second] = [await insertExit(OLD, 10), await insertExit(NEW, 5)];
    testApp.ctx.config.secretKeys = [NEW, OLD];
    expect((await stored()).map(({ key }) => key)).toEqual([keyWith(OLD), keyWith(NEW)]);
    await reseal(testApp.ctx);
    const keys = (await stored()).map(({ key }) => key);
    expect(keys).toEqual([`${keyWith(NEW)}#${first}`, keyWith(NEW)]);
    await order((await check(fileOf(LOGIN))).id!);
    expect(await exitIds()).toEqual([second]);
  });

  test('also if both are sealed again in one statement', async () => {
    const [first, second] = [await insertExit(OLD, 10), await insertExit('yet another secret key of tests, 3', 5)];
    testApp.ctx.config.secretKeys = [NEW, OLD, 'yet another secret key of tests, 3'];
    await reseal(testApp.ctx);
    const keys = (await stored()).map(({ id, key }) => key.replace(id, 'id'));
    expect(keys.sort()).toEqual([keyWith(NEW), `${keyWith(NEW)}#id`]);
    await order((await check(fileOf(LOGIN))).id!);
    expect([first, second]).toContain((await exitIds())[0]);
    expect(await check(fileOf(LOGIN))).toMatchObject({ unchangedCount: 1 });
  });
});

test('an import finds an exit whose credentials are sealed with an older key', async () => {
  const id = await insertExit(OLD);
  testApp.ctx.config.secretKeys = [NEW, OLD];
  await order((await check(fileOf(LOGIN))).id!);
  expect(await exitIds()).toEqual([id]);
  await reseal(testApp.ctx);
  expect(await stored()).toMatchObject([{ id, key: keyWith(NEW) }]);
  expect(await check(fileOf(LOGIN))).toMatchObject({ unchangedCount: 1 });
});
