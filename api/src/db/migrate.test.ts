import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { cloneDatabase } from '../../../tools/test-database.mjs';
import { migrate, type MigrationOptions } from './migrate.ts';

let database: Awaited<ReturnType<typeof cloneDatabase>>;
/** For tests that wait for another connection. */
let observer: pg.Client;
let directory: string;

beforeAll(async () => {
  database = await cloneDatabase(inject('postgresUrl'));
  observer = await connect();
});
afterAll(async () => {
  await observer.end();
  await database.drop();
});
beforeEach(async () => {
  directory = await mkdtemp(path.join(os.tmpdir(), 'migrations-'));
  await observer.query('drop table if exists parcels');
  await observer.query('create table parcels as select id, id % 7 as shelf from generate_series(1, 1000) as id');
  await observer.query("delete from schema_migrations where name like '9%'");
});
afterEach(() => rm(directory, { recursive: true }));

async function connect(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  return client;
}

const add = (name: string, text: string) => writeFile(path.join(directory, name), text);
const run = (options: MigrationOptions = {}) =>
  migrate(database.url, {
    directory: pathToFileURL(`${directory}/`),
    lockTimeoutMs: 100,
    pausesMs: [50],
    ...options,
  });

/** Resolves when a connection waits for a lock. */
async function untilSomebodyWaits(): Promise<void> {
  for (;;) {
    const { rows } = await observer.query(
      "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    );
    if (rows.length > 0) return;
    await pause(10);
  }
}

const readIndexes = async () =>
  (
    await observer.query<{ name: string; isValid: boolean }>(
      `select indexrelid::regclass::text as name, indisvalid as "isValid" from pg_index
        where indrelid = 'parcels'::regclass order by name`,
    )
  ).rows;

describe('a migration during a long transaction', () => {
  let reader: pg.Client;
  beforeEach(async () => {
    reader = await connect();
    await reader.query('begin');
    await reader.query('select count(*) from parcels');
  });
  afterEach(() => reader.end());

  test('lets other queries proceed between its attempts, and is applied when the transaction has ended', async () => {
    await add('9001_add_weight.sql', 'alter table parcels add column weight integer');
    const applied = run();
    await untilSomebodyWaits();
    // This query would time out if the migration waited for the whole transaction.
    await observer.query("set statement_timeout = '5s'");
    for (let read = 0; read < 5; read++) await observer.query('select count(*) from parcels');
    await observer.query('reset statement_timeout');
    await reader.query('rollback');
    expect(await applied).toEqual(['9001_add_weight.sql']);
  });

  test('fails after its time limit with a reason, and changes nothing', async () => {
    await add('9001_two_steps.sql', 'create table shelves (id integer); alter table parcels add column weight integer');
    await expect(run({ waitLimitMs: 300 })).rejects.toThrow(
      /9001_two_steps.sql did not get its locks, because a long-running transaction/,
    );
    expect((await observer.query("select to_regclass('shelves') as shelves")).rows).toEqual([{ shelves: null }]);
    await reader.query('rollback');
    expect(await run()).toEqual(['9001_two_steps.sql']);
    await observer.query('drop table shelves');
  });

  test('builds indexes meanwhile, also while the table is written', async () => {
    await add('9001_parcels_concurrently.sql', 'create index concurrently parcels_shelf on parcels (shelf);');
    await reader.query('insert into parcels values (1001, 3)');
    const applied = run();
    await untilSomebodyWaits();
    await observer.query('insert into parcels values (1002, 3)');
    await reader.query('rollback');
    expect(await applied).toEqual(['9001_parcels_concurrently.sql']);
    expect(await readIndexes()).toEqual([{ name: 'parcels_shelf', isValid: true }]);
  });
});

test('a migration that fails half way changes nothing of its step, keeps those before, and the same call goes on', async () => {
  await add('9001_shelves.sql', 'create table shelves (id integer)');
  await add('9002_half.sql', 'alter table shelves add column weight integer; insert into parcels values (1, 2, 3)');
  await expect(run()).rejects.toThrow('9002_half.sql');
  const columns = `select attname from pg_attribute where attrelid = 'shelves'::regclass and attnum > 0`;
  expect((await observer.query(columns)).rows).toEqual([{ attname: 'id' }]);
  await add('9002_half.sql', 'alter table shelves add column weight integer');
  expect(await run()).toEqual(['9002_half.sql']);
  await observer.query('drop table shelves');
});

test('refuses a database of a development version before 0.1.0, and accepts one of a newer release', async () => {
  await observer.query("insert into schema_migrations (name, sha256) values ('9999_of_a_newer_release.sql', '')");
  expect(await migrate(database.url)).toEqual([]);
  const older = await cloneDatabase(inject('postgresUrl'), 'template1');
  const client = new pg.Client({ connectionString: older.url });
  await client.connect();
  await client.query('create table schema_migrations (name text primary key, sha256 text not null)');
  await client.query("insert into schema_migrations values ('0001_ledger.sql', '')");
  await client.end();
  await expect(migrate(older.url)).rejects.toThrow(
    /^A development version .* Delete the directory \.data, or set DATABASE_URL/,
  );
  await older.drop();
});

describe('a migration of indexes', () => {
  test('rebuilds invalid indexes after a crash, and keeps complete ones', async () => {
    await observer.query('create index concurrently parcels_id on parcels (id)');
    const [finished] = (await observer.query("select 'parcels_id'::regclass::oid as id")).rows;
    await observer.query('insert into parcels values (1, 1)');
    // The duplicate makes the creation of the unique index fail.
    await expect(observer.query('create unique index concurrently parcels_once on parcels (id)')).rejects.toThrow(
      'could not create unique index',
    );
    expect(await readIndexes()).toContainEqual({ name: 'parcels_once', isValid: false });
    await observer.query('delete from parcels where ctid = (select max(ctid) from parcels where id = 1)');
    await add(
      '9001_parcels_concurrently.sql',
      `-- Two; the first one is there.
       create index concurrently parcels_id on parcels (id);
       create unique index concurrently parcels_once on parcels (id);`,
    );
    expect(await run()).toEqual(['9001_parcels_concurrently.sql']);
    expect(await readIndexes()).toEqual([
      { name: 'parcels_id', isValid: true },
      { name: 'parcels_once', isValid: true },
    ]);
    expect((await observer.query("select 'parcels_id'::regclass::oid as id")).rows).toEqual([finished]);
    expect(await run()).toEqual([]);
  });

  test('is not recorded while one of its indexes fails', async () => {
    await observer.query('insert into parcels values (1, 1)');
    await add('9001_parcels_concurrently.sql', 'create unique index concurrently parcels_once on parcels (id);');
    await expect(run()).rejects.toThrow(/9001_parcels_concurrently.sql failed: .*could not create unique index/);
    await observer.query('delete from parcels where ctid = (select max(ctid) from parcels where id = 1)');
    expect(await run()).toEqual(['9001_parcels_concurrently.sql']);
  });

  test('refuses other statements', async () => {
    await add('9001_parcels_concurrently.sql', 'alter table parcels add column weight integer');
    await expect(run()).rejects.toThrow(/is not "create index concurrently <name> on ..."/);
  });

  test('is built once by two processes that start at the same time', async () => {
    await add('9001_parcels_concurrently.sql', 'create index concurrently parcels_shelf on parcels (shelf);');
    const applied = await Promise.all([run(), run(), run()]);
    expect(applied.flat()).toEqual(['9001_parcels_concurrently.sql']);
  });
});
