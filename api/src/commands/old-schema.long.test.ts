/** @module-tag long */
import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { cloneDatabase } from '../../../tools/test-database.mjs';
import { Operator } from '../../test/operator.ts';
import { migrate } from '../db/migrate.ts';
import { packagePath } from '../process/package-path.ts';
import { runCommand } from './command.ts';
import { commands } from './registry.ts';

/** All but the last migration. */
let previous: string;
let last: string;
let clone: Awaited<ReturnType<typeof cloneDatabase>>;
let admin: Client;
beforeAll(async () => {
  previous = await mkdtemp(path.join(tmpdir(), 'migrations-'));
  await cp(packagePath('migrations/'), previous, { recursive: true });
  last = (await readdir(previous)).sort().at(-1)!;
  await rm(path.join(previous, last));
  clone = await cloneDatabase(inject('postgresUrl'), 'template1');
  await migrate(clone.url, { directory: pathToFileURL(`${previous}/`) });
  admin = new Client(clone.url);
  await admin.connect();
});
afterAll(async () => {
  await admin.end();
  await clone.drop();
  await rm(previous, { recursive: true });
});

const SETTINGS = { SECRET_KEY: 's'.repeat(32), GATEWAY_TOKEN: 't'.repeat(16), DEMO_DATA: 'small' };
const PRODUCTION = {
  NODE_ENV: 'production',
  SMTP_URL: 'smtp://127.0.0.1',
  MAIL_FROM: 'shop@example.com',
  PUBLIC_URL: 'https://shop.example.com',
  GATEWAY_HOST: 'proxy.example.com',
  PAY_EVM_XPUB:
    'xpub6DCoCpSuQZB2jawqnGMEPS63ePKWkwWPH4TU45Q7LPXWuNd8TMtVxRrgjtEshuqpK3mdhaWHPFsBngh5GFZaM6si3yZdUsT8ddYM3PwnATt',
  PAY_EVM_ADDRESS_0: '0x9858EfFD232B4033E47d90003D41EC34EcaEda94',
  // Nothing listens there.
  PAY_ETH_URLS: 'http://127.0.0.1:1',
};

async function run(values: string[], settings: NodeJS.ProcessEnv = PRODUCTION, databaseUrl = clone.url) {
  const operator = new Operator({ ...SETTINGS, ...settings, DATABASE_URL: databaseUrl });
  const code = await runCommand(commands, values, operator);
  return { code, output: operator.output, errors: operator.errors };
}

/** All relations and functions, and of each table the number of its rows and who wrote them. */
async function readDatabase(): Promise<unknown> {
  const { rows } = await admin.query(
    `select oid::regclass::text as name, xmin::text,
            case when relkind = 'r' then query_to_xml(format(
              'select count(*), sum(xmin::text::bigint) from %s', oid::regclass), true, false, '')::text end as rows
       from pg_class where relnamespace::regnamespace::text !~ '^(pg_|information_schema)'
     union all select oid::regprocedure::text, xmin::text, null from pg_proc where pronamespace = 'public'::regnamespace
      order by 1`,
  );
  return rows;
}

const OLD =
  /^Nothing was done. The database has not the schema of this release: \d+ changes are missing, the first is \d{4}_.*npm start\n$/;

test.each([
  ['payments', 'holdings', 'ETH'],
  ['payments', 'holdings', 'ethereum'],
  ['payments', 'resume', 'ethereum'],
  ['payments', 'release', '00000000-0000-4000-8000-000000000001'],
  ['catalogue', 'price', '--percent=10'],
  ['catalogue', 'export'],
  ['create-admin', 'admin@example.com'],
  ['add-node', 'paris'],
])('%s %s says in production that the schema is older, and changes nothing', async (...values) => {
  const before = await readDatabase();
  expect(await run(values)).toEqual({ code: 3, output: '', errors: expect.stringMatching(OLD) });
  expect(await readDatabase()).toEqual(before);
});

test('migrate --plan names what is missing, and which releases work afterwards, and changes nothing', async () => {
  const before = await readDatabase();
  const { code, output, errors } = await run(['migrate', '--plan']);
  expect([code, errors]).toEqual([0, '']);
  expect(output).toMatch(/^\d+ changes are to be made\./);
  expect(output).toContain(`  ${last}\n    `);
  expect(output).toMatch(/Afterwards releases from \d+\.\d+\.\d+ on run on the database/);
  expect(await readDatabase()).toEqual(before);
});

test.each([{}, PRODUCTION])('payments check works with any schema, and changes nothing', async (settings) => {
  const before = await readDatabase();
  const { code, output } = await run(['payments', 'check'], settings);
  expect([code, output]).toEqual([0, expect.stringContaining('ethereum')]);
  expect(await readDatabase()).toEqual(before);
});

test('in development a question does not migrate either, a change does, and then questions work', async () => {
  const { code, errors } = await run(['catalogue', 'retire'], {});
  expect([code, errors]).toEqual([3, expect.stringContaining(last)]);
  expect(await run(['create-admin', 'admin@example.com'], {})).toMatchObject({ code: 0, errors: '' });
  expect(await run(['catalogue', 'retire'], {})).toEqual({ code: 0, output: '', errors: 'No proxy matches.\n' });
  expect(await run(['payments', 'holdings', 'BTC'], {})).toMatchObject({ code: 0, errors: '' });
  expect(await run(['payments', 'resume', 'ethereum'])).toMatchObject({
    code: 0,
    output: 'ethereum was not paused.\n',
  });
});

test('with another key than that of the database only its replacement runs', async () => {
  const empty = await cloneDatabase(inject('postgresUrl'), 'template1');
  const settings = { ...PRODUCTION, LOG_LEVEL: 'silent' };
  const other = { ...settings, SECRET_KEY: 'o'.repeat(32) };
  expect((await run(['migrate'], settings, empty.url)).code).toBe(0);
  for (const values of [['migrate'], ['add-node', 'paris'], ['catalogue', 'retire']])
    expect(await run(values, other, empty.url)).toMatchObject({
      code: 78,
      errors: expect.stringMatching(/^SECRET_KEY does not contain the key of this database/),
    });
  expect((await run(['replace-key', '--lost'], other, empty.url)).code).toBe(0);
  expect((await run(['migrate'], other, empty.url)).code).toBe(0);
  expect((await run(['migrate'], settings, empty.url)).code).toBe(78);
  await empty.drop();
});

test('the migration fills an empty database in production', async () => {
  const empty = await cloneDatabase(inject('postgresUrl'), 'template1');
  const settings = { ...PRODUCTION, LOG_LEVEL: 'silent' };
  expect((await run(['create-admin', 'admin@example.com'], settings, empty.url)).code).toBe(3);
  expect(await run(['migrate'], settings, empty.url)).toEqual({ code: 0, output: '', errors: '' });
  const { code, output } = await run(['create-admin', 'admin@example.com'], settings, empty.url);
  const done = 'Nothing is to be done: the database has the schema of this release.\n';
  expect(await run(['migrate', '--plan'], settings, empty.url)).toEqual({ code: 0, output: done, errors: '' });
  expect((await run(['migrate', '--pla'], settings, empty.url)).code).toBe(2);
  expect([code, output]).toEqual([0, expect.stringContaining('is a new administrator.')]);
  await empty.drop();
});
