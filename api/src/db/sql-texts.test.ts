/** Tests the functions and views of sql/. */
import { PREPAID_MEGABYTES, PRICED_MEGABYTES } from '@cellhop/contract/limits';
import { megabytePrice } from '@cellhop/contract/units';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { cloneDatabase } from '../../../tools/test-database.mjs';
import { migrate } from './migrate.ts';

const live = new URL('../../sql/', import.meta.url);
const migrations = new URL('../../migrations/', import.meta.url);

let database: Awaited<ReturnType<typeof cloneDatabase>>;
let client: pg.Client;
let directory: string;

beforeAll(async () => {
  database = await cloneDatabase(inject('postgresUrl'));
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await database.drop();
});
beforeEach(async () => {
  directory = await mkdtemp(path.join(os.tmpdir(), 'sql-'));
  await mkdir(path.join(directory, 'views'));
  await client.query("delete from sql_texts where name in ('answer', 'answers'); drop view if exists answers");
  await client.query('drop function if exists answer');
});
afterEach(() => rm(directory, { recursive: true }));

const answer = (value: number, revision = 1, name = 'answer') =>
  writeFile(
    path.join(directory, 'answer.sql'),
    `-- revision: ${revision}\ncreate or replace function ${name}() returns integer language sql return ${value};\n`,
  );
const run = () => migrate(database.url, { directory: migrations, sql: pathToFileURL(`${directory}/`) });
const ask = async () => (await client.query<{ answer: number }>('select answer()')).rows[0]!.answer;

describe('texts', () => {
  test('are applied once, and again when they have changed', async () => {
    await answer(1);
    expect(await run()).toEqual(['answer']);
    expect(await run()).toEqual([]);
    await answer(2);
    expect(await run()).toEqual(['answer']);
    expect(await ask()).toBe(2);
    await client.query('drop function answer');
    expect(await run()).toEqual(['answer']);
  });

  test('of views are applied after those of functions', async () => {
    await answer(1);
    await writeFile(
      path.join(directory, 'views/answers.sql'),
      '-- revision: 1\ncreate or replace view answers as select answer() as only;\n',
    );
    expect(await run()).toEqual(['answer', 'answers']);
  });

  test('are applied once by processes that start at the same time', async () => {
    await answer(1);
    expect((await Promise.all([run(), run(), run()])).flat()).toEqual(['answer']);
  });

  test('with a newer revision stay when a process of the previous release restarts', async () => {
    await answer(1, 1);
    await run();
    await answer(2, 2);
    expect(await run()).toEqual(['answer']);
    await answer(1, 1);
    expect(await run()).toEqual([]);
    expect(await ask()).toBe(2);
  });

  test('are rolled back if one fails, and the error names it', async () => {
    await answer(1);
    await writeFile(
      path.join(directory, 'views/answers.sql'),
      '-- revision: 1\ncreate view answers as select nothing;\n',
    );
    await expect(run()).rejects.toThrow(/The text of answers could not be applied: .*"nothing" does not exist/);
    expect((await client.query("select from pg_proc where proname = 'answer'")).rowCount).toBe(0);
    await writeFile(path.join(directory, 'views/answers.sql'), 'select 1');
    await expect(run()).rejects.toThrow('sql/views/answers.sql does not begin with "-- revision: <number>"');
  });

  test('do not block readers of a view, and are applied when its readers have finished', async () => {
    await writeFile(
      path.join(directory, 'views/answers.sql'),
      '-- revision: 1\ncreate or replace view answers as select 1 as only;\n',
    );
    await run();
    await client.query('begin');
    await client.query('select * from answers');
    await writeFile(
      path.join(directory, 'views/answers.sql'),
      '-- revision: 2\ncreate or replace view answers as select 2 as only;\n',
    );
    const blocked = migrate(database.url, {
      directory: migrations,
      sql: pathToFileURL(`${directory}/`),
      lockTimeoutMs: 50,
      pausesMs: [10],
      waitLimitMs: 200,
    });
    await expect(blocked).rejects.toThrow('of the texts in sql/ did not get its locks');
    await client.query('rollback');
    expect(await run()).toEqual(['answers']);
  });
});

const namesIn = async (part: string) =>
  (await readdir(new URL(part, live))).filter((file) => file.endsWith('.sql')).map((file) => file.slice(0, -4));

describe('the database', () => {
  test('has the current text of every function and view in sql/', async () => {
    const { rows } = await client.query<{ name: string; source: string; signature: string }>(
      `select proname as name, prosrc as source, proname || '(' || pg_get_function_arguments(pg_proc.oid) || ')' as signature
         from pg_proc
        where pronamespace = 'public'::regnamespace
          -- Not those of extensions.
          and not exists (select from pg_depend where objid = pg_proc.oid and deptype = 'e')
        order by proname`,
    );
    const views = await client.query<{ name: string }>(
      "select viewname as name from pg_views where schemaname = 'public' order by viewname",
    );
    const current: string[] = [];
    const others: string[] = [];
    for (const { name, source, signature } of rows) {
      const text = await readFile(new URL(`${name}.sql`, live), 'utf8');
      // PostgreSQL stores a SQL-standard body parsed, without its text.
      if (text.includes(source)) current.push(name);
      else others.push(signature);
    }
    expect(others).toEqual([]);
    // A file may also have the overload of the previous release.
    expect([...new Set(current)]).toEqual((await namesIn('')).sort());
    expect(views.rows.map(({ name }) => name)).toEqual((await namesIn('views/')).sort());
  });

  test('has the prices of the contract', async () => {
    const price = 123_456_700n;
    const { rows } = await client.query(
      'select megabyte_price($1)::text as price, prepaid_megabytes()::int as prepaid',
      [price],
    );
    expect(rows).toEqual([{ price: String(megabytePrice(price)), prepaid: PREPAID_MEGABYTES }]);
    expect(megabytePrice(price)).toBe(price / BigInt(PRICED_MEGABYTES));
  });
});
