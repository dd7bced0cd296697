/** Exits through other proxies: their credentials are imported from a file, encrypted at rest, and sent only to gateways. */
import { connect } from '@cellhop/contract/connections';
import {
  applyImport,
  checkImport,
  exportInventory,
  listInventory,
  readInventoryChange,
} from '@cellhop/contract/staff/inventory';
import { importColumns } from '@cellhop/contract/staff/inventory.values';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createUser, markHealthy, type TestUser } from '../../../test/factories.ts';
import { createGatewayRun } from '../../../test/gateway-client.ts';
import { runJobs } from '../../../test/mail.ts';
import { startSecondApp, startTestApp, type TestApp } from '../../../test/test-app.ts';
import { checkInvariants } from '../../db/check-invariants.ts';
import { addNode } from '../gateway/gateway.service.ts';
import { reseal } from '../key-rotation/key-rotation.service.ts';

const HEADER = importColumns.join(',');
const OLD = 'the old secret key of the tests, 1';
const NEW = 'the new secret key of the tests, 2';
const SECRET = 'hidden-pass';

let testApp: TestApp;
let admin: TestUser;
let customer: TestUser;
let nodeToken: string;
beforeAll(async () => {
  testApp = await startTestApp({ secretKeys: [OLD] });
  admin = await createUser(testApp, { roleName: 'ADMIN' });
  customer = await createUser(testApp, { balanceMicros: 100_000_000n });
  nodeToken = await addNode(testApp.ctx, 'paris');
});
afterAll(async () => {
  expect(await checkInvariants(testApp.ctx)).toEqual([]);
  await testApp.stop();
});

const lineOf = (ip: string, kind: string, exit: string) =>
  `${ip},0.8,DE,Berlin,Berlin,10115,Telekom,LTE,paris,${kind},${exit}`;
const fileOf = (...lines: string[]) => [HEADER, ...lines].join('\n');

async function check(content: string, format: 'csv' | 'json' = 'csv') {
  const file = { type: 'text/csv', content };
  return (await admin.call(checkImport, { query: { format, fileName: 'stock.csv' } }, { file })).data;
}
async function importAll(content: string, format?: 'csv' | 'json') {
  const checked = await check(content, format);
  expect(checked.errors).toEqual([]);
  const ordered = (await admin.call(applyImport, { params: { id: checked.id! } })).data;
  await runJobs(testApp);
  const change = (await admin.call(readInventoryChange, { params: { id: ordered.id } })).data;
  expect(change.status).toBe('DONE');
  return checked;
}
async function find(ip: string) {
  const { data } = await admin.call(listInventory, { query: { ip } });
  return data[0]!;
}
async function exportAll(format: 'csv' | 'json' = 'csv'): Promise<string> {
  const response = await fetch(`${testApp.url}${exportInventory.url}?format=${format}`, { headers: admin.headers });
  return response.text();
}
async function buy(ip: string) {
  await markHealthy(testApp);
  const { id } = await find(ip);
  return (await customer.call(connect, { body: { id, price: 0.8 } })).data;
}
const fileWithLogin = (login: string) =>
  fileOf(
    lineOf('192.0.2.11', 'socks5', `socks5://${login}@gate.test:7000`),
    lineOf('192.0.2.12', 'socks5', `socks5://${login}@gate.test:7000`),
    lineOf('192.0.2.13', 'socks5', 'socks5://gate.test:7000'),
    lineOf('192.0.2.14', 'http', `http://${login}@gate.test:7000`),
  );

/** All rows of these tables, as text. */
async function stored(): Promise<string> {
  const texts: string[] = [];
  for (const table of [
    'exits',
    'catalogue_import_rows',
    'catalogue_imports',
    'catalogue_changes',
    'proxies',
    'audit_log',
  ]) {
    const rows = await testApp.database.query<{ row: string }>(`select to_jsonb(${table})::text as row from ${table}`);
    for (const { row } of rows) {
      texts.push(row);
      for (const [, hex] of row.matchAll(/\\\\x([0-9a-f]+)/g)) texts.push(Buffer.from(hex!, 'hex').toString('latin1'));
    }
  }
  return texts.join('\n');
}

describe('a file', () => {
  test('adds exits through other proxies, whose credentials only the gateway gets', async () => {
    await importAll(
      fileOf(
        lineOf('192.0.2.1', 'socks5', `socks5://operator:${SECRET}@Gate.Example.com:7000`),
        lineOf('192.0.2.2', 'http', `http://operator:${SECRET}%40%3A@[2001:db8::1]:8080`),
        lineOf('192.0.2.3', 'socks5', 'socks5://10.0.0.9:1080'),
      ),
    );
    const id = expect.any(String) as string;
    const cases = [
      {
        ip: '192.0.2.1',
        address: 'socks5://gate.example.com:7000',
        exit: {
          kind: 'socks5',
          host: 'gate.example.com',
          port: 7000,
          credentials: { username: 'operator', password: SECRET },
        },
      },
      {
        ip: '192.0.2.2',
        address: 'http://[2001:db8::1]:8080',
        exit: {
          kind: 'http',
          host: '2001:db8::1',
          port: 8080,
          credentials: { username: 'operator', password: `${SECRET}@:` },
        },
      },
      { ip: '192.0.2.3', address: 'socks5://10.0.0.9:1080', exit: { kind: 'socks5', host: '10.0.0.9', port: 1080 } },
    ];
    for (const { ip, address, exit } of cases) {
      expect((await find(ip)).exit).toEqual({ id, node: 'paris', names: 'exit', kind: exit.kind, address });
      const connection = await buy(ip);
      expect(JSON.stringify(connection)).not.toMatch(/operator|hidden-pass|gate\.example/);
      const run = createGatewayRun(testApp, nodeToken);
      expect(await run.authorize(connection)).toMatchObject({ isAuthorized: true, exit: { ...exit, id } });
    }
    expect(await stored()).not.toMatch(/operator|hidden-pass/);
  });

  test('applied twice changes nothing; another password or username makes another exit, and equal ones are shared', async () => {
    expect(await importAll(fileWithLogin('one:pass'))).toMatchObject({ newCount: 4 });
    expect((await find('192.0.2.11')).exit).toEqual((await find('192.0.2.12')).exit);
    const ids = new Set<string>();
    for (const ip of ['192.0.2.11', '192.0.2.13', '192.0.2.14']) ids.add((await find(ip)).exit.id);
    expect(ids.size).toBe(3);
    expect(await check(fileWithLogin('one:pass'))).toMatchObject({ changedCount: 0, unchangedCount: 4 });
    expect(await check(fileWithLogin('two:pass'))).toMatchObject({ changedCount: 3, unchangedCount: 1 });
    expect(await importAll(fileWithLogin('one:word'))).toMatchObject({ changedCount: 3, unchangedCount: 1 });
    expect(await check(fileWithLogin('one:word'))).toMatchObject({ changedCount: 0 });
    expect(await importAll(fileWithLogin('one:pass'))).toMatchObject({ changedCount: 3 });
  });

  test('of an export has no credentials, and keeps those of its proxies', async () => {
    const exits = ['socks5://operator:hidden-pass@a.test:1', 'socks5://a.test:1'];
    await importAll(fileOf(...exits.map((exit, index) => lineOf(`192.0.2.2${index}`, 'socks5', exit))));
    for (const format of ['csv', 'json'] as const) {
      const text = await exportAll(format);
      expect(text).not.toMatch(/operator|hidden-pass/);
      expect(text).toContain('socks5://***@a.test:1');
      expect(await check(text, format)).toMatchObject({ errors: [], changedCount: 0, newCount: 0 });
    }
    const before = (await find('192.0.2.20')).exit;
    const cheaper = (await exportAll()).replace('192.0.2.20,0.8', '192.0.2.20,0.7');
    expect(await importAll(cheaper)).toMatchObject({ changedCount: 1 });
    expect(await find('192.0.2.20')).toMatchObject({ price: 0.7, exit: before });
  });

  test('refuses what belongs to the shop itself, in every written form', async () => {
    const { config } = testApp.ctx;
    const database = new URL(config.databaseUrl).port;
    const refused = [
      `127.0.0.1:${database}`,
      `0x7f.1:${database}`,
      `[::ffff:7f00:1]:${database}`,
      `LocalHost:${database}`,
      `127.0.0.1:${config.port}`,
      `127.0.0.1:${config.gateway.port}`,
      '169.254.169.254:80',
    ];
    const lines = refused.map((host, index) => lineOf(`192.0.2.${60 + index}`, 'http', `http://${host}`));
    const { errors } = await check(fileOf(...lines, lineOf('192.0.2.70', 'http', 'http://127.0.0.1:3128')));
    expect(errors).toEqual(
      refused.map((_, index) => ({ line: index + 2, column: 'exit', problem: 'REFUSED_UPSTREAM', value: null })),
    );
  });

  test('refuses another gateway at its public address, and not what has its port on this machine', async () => {
    await addNode(testApp.ctx, 'rome');
    await testApp.database.query(
      `update gateway_nodes set public_host = '198.51.100.9', public_port = 1999 where name = 'rome'`,
    );
    const hosts = ['198.51.100.9:1999', '127.0.0.1:1999', '198.51.100.9:3128'];
    const { errors } = await check(
      fileOf(...hosts.map((host, index) => lineOf(`192.0.2.${80 + index}`, 'http', `http://${host}`))),
    );
    expect(errors).toEqual([{ line: 2, column: 'exit', problem: 'REFUSED_UPSTREAM', value: null }]);
    // Nor what has the port of the database, which is localhost on the shop's machine, on another one.
    const database = `http://127.0.0.1:${new URL(testApp.ctx.config.databaseUrl).port}`;
    const rows = [database, 'http://127.0.0.1:1999'].map((exit, index) =>
      lineOf(`192.0.2.${90 + index}`, 'http', exit).replace(',paris,', ',rome,'),
    );
    expect((await check(fileOf(...rows))).errors).toEqual([
      { line: 3, column: 'exit', problem: 'REFUSED_UPSTREAM', value: null },
    ]);
  });

  test('reports wrong exits by line, without their credentials', async () => {
    const wrong = [
      ['socks5', 'host:70000:operator:hidden-pass'],
      ['socks5', 'http://operator:hidden-pass@a.test:1'],
      ['socks5', 'socks5://operator@a.test:1'],
      ['socks5', 'socks5://operator:@a.test:1'],
      ['socks5', 'socks5://operator:hidden-pass%@a.test:1'],
      ['socks5', 'socks5://operator:hidden-pass%00@a.test:1'],
      ['socks5', `socks5://operator:${'x'.repeat(256)}@a.test:1`],
      ['socks5', 'socks5://operator:hidden-pass@a.test:0'],
      ['socks5', 'socks5://operator:hidden-pass@a.test'],
      ['socks5', 'socks5://operator:hidden-pass@a.test:1/path'],
      ['http', 'http://oper%3Aator:hidden-pass@a.test:1'],
      ['http', ''],
    ] as const;
    const { errors } = await check(
      fileOf(...wrong.map(([kind, exit], index) => lineOf(`192.0.2.${30 + index}`, kind, exit))),
    );
    expect(errors).toEqual(
      wrong.map((_, index) => ({ line: index + 2, column: 'exit', problem: 'NOT_AN_UPSTREAM', value: null })),
    );
    const misplaced = await check(
      fileOf(
        lineOf('192.0.2.50', 'socks5://operator:hidden-pass@a.test:1', 'socks5'),
        lineOf('192.0.2.51', 'local-address', 'socks5://operator:hidden-pass@a.test:1'),
        lineOf('192.0.2.52', 'local-address', 'a.test:1:operator:hidden-pass'),
        lineOf('192.0.2.53', 'socks5', 'socks5://***@a.test:1'),
      ),
    );
    expect(misplaced.errors).toMatchObject([
      { line: 2, column: 'exitKind', problem: 'UNKNOWN_EXIT_KIND', value: null },
      { line: 3, column: 'exit', problem: 'NOT_AN_ADDRESS', value: null },
      { line: 4, column: 'exit', problem: 'NOT_AN_ADDRESS', value: null },
      { line: 5, column: 'exit', problem: 'HIDDEN_CREDENTIALS', value: null },
    ]);
    const unknown = await check(fileOf(lineOf('192.0.2.53', 'socks5', 'socks5://***@a.test:1')));
    expect(unknown.errors).toEqual([{ line: 2, column: 'exit', problem: 'HIDDEN_CREDENTIALS', value: null }]);
    expect(unknown.id).toBeNull();
  });
});

describe('key rotation', () => {
  test('encrypts and hashes credentials with the newest key, and imports still match the same exits', async () => {
    const content = fileOf(lineOf('192.0.2.71', 'socks5', 'socks5://own:hidden-pass@rotated.test:1'));
    await importAll(content);
    const connection = await buy('192.0.2.71');
    const during = await startSecondApp(testApp, { secretKeys: [NEW, OLD] });
    const after = await startSecondApp(testApp, { secretKeys: [NEW] });
    const exitFor = async (app: TestApp) => {
      const authorization = await createGatewayRun(app, nodeToken).authorize(connection);
      return authorization.isAuthorized ? authorization.exit : undefined;
    };
    const passwordIs = { credentials: { username: 'own', password: 'hidden-pass' } };
    expect(await exitFor(during)).toMatchObject(passwordIs);
    await testApp.database.query(`update exits set created_at = created_at - interval '2 minutes'`);
    await testApp.database.query(`update connections set created_at = created_at - interval '2 minutes'`);
    await reseal(during.ctx);
    expect(await exitFor(after)).toMatchObject(passwordIs);
    const sealed = await testApp.database.query<{ hash: Buffer }>(
      `select credentials_hash as hash from exits where parameters ->> 'host' = 'rotated.test'`,
    );
    expect(sealed).toHaveLength(1);
    await during.stop();
    await after.stop();
  });

  test('if the key is missing, the exit is refused, and never used without its login', async () => {
    await importAll(fileOf(lineOf('192.0.2.72', 'http', 'http://own:hidden-pass@lost.test:1')));
    const connection = await buy('192.0.2.72');
    await testApp.database.query(
      `update exits set parameters = '{"host": "moved.test", "port": 1}' where parameters ->> 'host' = 'lost.test'`,
    );
    await expect(createGatewayRun(testApp, nodeToken).authorize(connection)).rejects.toMatchObject({ status: 503 });
  });
});
