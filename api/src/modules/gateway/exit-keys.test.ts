/** An exit is known by its key, whichever release has written it, and whichever key of SECRET_KEY its credentials are sealed with. */
import { connect } from '@cellhop/contract/connections';
import { applyImport, checkImport, listInventory } from '@cellhop/contract/staff/inventory';
import { importColumns } from '@cellhop/contract/staff/inventory.values';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createProxy, createUser, markHealthy, type TestUser } from '../../../test/factories.ts';
import { createGatewayRun } from '../../../test/gateway-client.ts';
import { runJobs } from '../../../test/mail.ts';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { encryptCredentials, hashCredentials } from '../../secrets/exit-credentials.ts';
import { reseal } from '../key-rotation/key-rotation.service.ts';
import { fillExits } from './exit-resealing.service.ts';
import { fillExits as fillBatch } from './exit-resealing.store.ts';
import { addNode } from './gateway.service.ts';

const OLD = 'the old secret key of the tests, 1';
const NEW = 'the new secret key of the tests, 2';
const CREDENTIALS = { username: 'own', password: 'hidden-pass' };
const PLACE = { host: 'gate.test', port: 7000 };

let testApp: TestApp;
let admin: TestUser;
let token: string;
let nodeId: string;
beforeAll(async () => {
  testApp = await startTestApp({ secretKeys: [OLD] });
  admin = await createUser(testApp, { roleName: 'ADMIN' });
  token = await addNode(testApp.ctx, 'paris');
  [{ id: nodeId }] = (await query<{ id: string }>(`select id from gateway_nodes where name = 'paris'`)) as [
    { id: string },
  ];
});
afterAll(() => testApp.stop());
beforeEach(() => testApp.reset());

const query = <Row>(sql: string, values: unknown[] = []) => testApp.database.query<Row>(sql, values);
interface Stored {
  id: string;
  key: string | null;
  parameters: unknown;
  address: string | null;
  upstreamHost: string | null;
  upstreamPort: number | null;
}
const stored = () =>
  query<Stored>(
    `select id, key, parameters, host(address) as address, upstream_host as "upstreamHost", upstream_port as "upstreamPort"
       from exits order by created_at, id`,
  );
const sealedWith = (secretKey: string) => ({
  encrypted: encryptCredentials([secretKey], PLACE, CREDENTIALS),
  hash: hashCredentials([secretKey], CREDENTIALS)[0]!,
});
const keyWith = (secretKey: string) => `socks5://gate.test:7000#${sealedWith(secretKey).hash.toString('hex')}`;

/** As the previous release adds exits. */
async function insertOld(secretKey?: string, minutesAgo = 5): Promise<string> {
  const sealed = secretKey === undefined ? undefined : sealedWith(secretKey);
  const [row] = await query<{ id: string }>(
    `insert into exits (node_id, kind, upstream_host, upstream_port, credentials_encrypted, credentials_hash, created_at)
     values ($1, 'socks5', $2, $3, $4, $5, now() - $6 * interval '1 minute') returning id`,
    [nodeId, PLACE.host, PLACE.port, sealed?.encrypted, sealed?.hash, minutesAgo],
  );
  return row!.id;
}
const insertKey = (key: string) =>
  query(
    `insert into exits (node_id, kind, key, parameters) values ($1, 'socks5', $2, '{"host": "gate.test", "port": 7000}')`,
    [nodeId, key],
  );
/** As rows are before the first start of this release. */
async function emptyKeys(): Promise<void> {
  await query('alter table exits disable trigger exits_described');
  await query('update exits set key = null, parameters = null');
  await query('alter table exits enable trigger exits_described');
}
const unfilled = async () => (await query('select from exits where key is null')).length;

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

describe('what the previous release writes has key and parameters', () => {
  test('of each kind', async () => {
    await query(
      `insert into exits (node_id, kind, address) values ($1, 'local-address', null), ($1, 'local-address', '2001:db8::7')`,
      [nodeId],
    );
    await query(
      `insert into exits (node_id, kind, upstream_host, upstream_port) values ($1, 'http', '2001:db8::1', 8080)`,
      [nodeId],
    );
    expect((await stored()).map(({ key, parameters }) => [key, parameters])).toEqual(
      expect.arrayContaining([
        ['local-address://', { address: null }],
        ['local-address://2001:db8::7', { address: '2001:db8::7' }],
        ['http://[2001:db8::1]:8080', { host: '2001:db8::1', port: 8080 }],
      ]),
    );
  });

  test('and they are those of an import of this release', async () => {
    await insertOld(OLD);
    await insertOld();
    await query(
      `insert into exits (node_id, kind, address) values ($1, 'local-address', '192.0.2.7'), ($1, 'local-address', null)`,
      [nodeId],
    );
    const before = await stored();
    const { id } = await check(
      fileOf(LOGIN, ['socks5', 'socks5://gate.test:7000'], ['local-address', '192.0.2.7'], ['local-address', '']),
    );
    await order(id!);
    expect(await stored()).toEqual(before);
    expect(new Set(await exitIds()).size).toBe(4);
  });

  test('after its key rotation and a changed address as well', async () => {
    const id = await insertOld(OLD);
    const { encrypted, hash } = sealedWith(NEW);
    await query('update exits set credentials_encrypted = $2, credentials_hash = $3 where id = $1', [
      id,
      encrypted,
      hash,
    ]);
    expect(await stored()).toMatchObject([{ key: keyWith(NEW) }]);
    await query(`update exits set upstream_host = 'moved.test' where id = $1`, [id]);
    expect(await stored()).toMatchObject([
      { key: keyWith(NEW).replace('gate', 'moved'), parameters: { host: 'moved.test', port: 7000 } },
    ]);
  });
});

test('what this release writes has the columns of the previous release', async () => {
  const { id } = await check(fileOf(['local-address', '192.0.2.7'], ['local-address', ''], LOGIN));
  const staged = await query<{ old: string }>(
    `select concat_ws(' ', exit_address, upstream_host, upstream_port, cardinality(credentials_hashes)) as old
       from catalogue_import_rows order by ip`,
  );
  expect(staged.map(({ old }) => old)).toEqual(['192.0.2.7', '', ' gate.test 7000 1']);
  await order(id!);
  const rows = (await stored()).map(({ address, upstreamHost, upstreamPort }) => [address, upstreamHost, upstreamPort]);
  expect(rows).toHaveLength(3);
  expect(rows).toEqual(
    expect.arrayContaining([
      ['192.0.2.7', null, null],
      [null, null, null],
      [null, 'gate.test', 7000],
    ]),
  );
});

test('a file that the previous release has checked is applied', async () => {
  const { id } = await check(fileOf(LOGIN, ['socks5', 'socks5://gate.test:7000'], ['local-address', '192.0.2.7']));
  await query(
    `with rows as (delete from catalogue_import_rows returning *)
     insert into catalogue_import_rows (import_id, ip, price_micros, country_code, region, city, zip, isp, connection_type, node_id, exit_kind,
                                        exit_address, upstream_host, upstream_port, credentials_encrypted, credentials_hashes)
     select import_id, ip, price_micros, country_code, region, city, zip, isp, connection_type, node_id, exit_kind,
            case when upstream_host is null then exit_address else 'socks5://gate.test:7000' end, upstream_host, upstream_port,
            credentials_encrypted, credentials_hashes
       from rows`,
  );
  await order(id!);
  expect(new Set((await stored()).map(({ key }) => key))).toEqual(
    new Set(['local-address://192.0.2.7', 'socks5://gate.test:7000', keyWith(OLD)]),
  );
  expect(await exitIds()).toHaveLength(3);
});

describe('a key is unique at its node', () => {
  test('and a second exit with it is refused', async () => {
    await insertKey('socks5://gate.test:7000');
    await expect(insertKey('socks5://gate.test:7000')).rejects.toMatchObject({ code: '23505' });
  });

  test('also after a rotation of two exits with equal credentials, of which imports find the first', async () => {
    const [first, second] = [await insertOld(OLD, 10), await insertOld(NEW, 5)];
    testApp.ctx.config.secretKeys = [NEW, OLD];
    expect((await stored()).map(({ key }) => key)).toEqual([keyWith(OLD), keyWith(NEW)]);
    await reseal(testApp.ctx);
    const keys = (await stored()).map(({ key }) => key);
    expect(keys).toEqual([`${keyWith(NEW)}#${first}`, keyWith(NEW)]);
    await order((await check(fileOf(LOGIN))).id!);
    expect(await exitIds()).toEqual([second]);
  });

  test('also if both are sealed again in one statement', async () => {
    const [first, second] = [await insertOld(OLD, 10), await insertOld('yet another secret key of tests, 3', 5)];
    testApp.ctx.config.secretKeys = [NEW, OLD, 'yet another secret key of tests, 3'];
    await reseal(testApp.ctx);
    const keys = (await stored()).map(({ id, key }) => key!.replace(id, 'id'));
    expect(keys.sort()).toEqual([keyWith(NEW), `${keyWith(NEW)}#id`]);
    await order((await check(fileOf(LOGIN))).id!);
    expect([first, second]).toContain((await exitIds())[0]);
    expect(await check(fileOf(LOGIN))).toMatchObject({ unchangedCount: 1 });
  });
});

test('an import finds an exit whose credentials are sealed with an older key', async () => {
  const id = await insertOld(OLD);
  testApp.ctx.config.secretKeys = [NEW, OLD];
  await order((await check(fileOf(LOGIN))).id!);
  expect(await exitIds()).toEqual([id]);
  await reseal(testApp.ctx);
  expect(await stored()).toMatchObject([{ id, key: keyWith(NEW) }]);
  expect(await check(fileOf(LOGIN))).toMatchObject({ unchangedCount: 1 });
});

describe('rows that are not filled in yet', () => {
  test('are filled in batches, and an interrupted run is continued', async () => {
    for (let minutes = 2; minutes < 5; minutes += 1) await insertOld(minutes === 2 ? undefined : OLD, minutes);
    const before = (await stored()).map(({ parameters }) => parameters);
    await emptyKeys();
    expect([await fillBatch(testApp.ctx, 2), await unfilled()]).toEqual([2, 1]);
    await fillExits(testApp.ctx);
    const rows = await stored();
    expect(rows.map(({ parameters }) => parameters)).toEqual(before);
    // Equal ones, of the same hash, cannot be told apart: the later filled one gets its id.
    expect(rows.map(({ id, key }) => key!.replace(id, 'id')).sort()).toEqual(
      ['socks5://gate.test:7000', keyWith(OLD), `${keyWith(OLD)}#id`].sort(),
    );
    expect(await fillBatch(testApp.ctx, 2)).toBe(0);
  });

  test('serve their connections, and are found by imports', async () => {
    const id = await insertOld(OLD);
    const customer = await createUser(testApp, { balanceMicros: 10_000_000n });
    const proxyId = await createProxy(testApp, { exitId: id });
    await emptyKeys();
    await markHealthy(testApp);
    const { data: connection } = await customer.call(connect, { body: { id: proxyId, price: 0.8 } });
    expect(await createGatewayRun(testApp, token).authorize(connection)).toMatchObject({
      exit: { kind: 'socks5', id, ...PLACE, credentials: CREDENTIALS },
    });
    expect(await unfilled()).toBe(1);
    await order((await check(fileOf(LOGIN))).id!);
    expect(new Set(await exitIds())).toEqual(new Set([id]));
  });
});
