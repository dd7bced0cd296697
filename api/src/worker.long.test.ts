/** @module-tag long */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { Network } from '../../faults/network.ts';
import { programArguments } from '../../tools/built-program.ts';
import { cloneDatabase } from '../../tools/test-database.mjs';
import { openDatabase, type Database } from './db/db.ts';

let clone: Awaited<ReturnType<typeof cloneDatabase>>;
let database: Database;
beforeAll(async () => {
  clone = await cloneDatabase(inject('postgresUrl'));
  database = openDatabase(clone.url, 2);
});
afterAll(async () => {
  await database.close();
  await clone.drop();
});

function launch(databaseUrl = clone.url, name = 'worker', settings = {}) {
  const child = spawn(process.execPath, programArguments('api', name), {
    env: {
      PATH: process.env['PATH'],
      DATABASE_URL: databaseUrl,
      SECRET_KEY: 'a secret key for tests of at least 32 characters',
      GATEWAY_TOKEN: 'gateway-token-of-the-tests',
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const exited = once(child, 'exit').then(([code]) => code as number | null);
  return { child, exited, output: () => output };
}

async function isListening(): Promise<boolean> {
  const rows = await database.query(
    `select from pg_stat_activity where datname = current_database() and query like 'LISTEN "jobs:insert"%'`,
  );
  return rows.length > 0;
}

test('a worker whose job runner has stopped exits with an error code, so that it is restarted', async () => {
  const { exited, output } = launch();
  await expect.poll(isListening).toBe(true);
  // The notification of the job runner after another version has migrated its tables: all runners shut down.
  await database.query('select pg_notify($1, $2)', ['worker:migrate', '{"breaking":true,"migrationNumber":999}']);
  expect(await exited).toBe(1);
  expect(output()).toContain('the job runner has stopped unexpectedly');
});

test('a worker stops without an error on a signal', async () => {
  const { child, exited, output } = launch();
  await expect.poll(isListening).toBe(true);
  child.kill('SIGTERM');
  expect(await exited).toBe(0);
  expect(output()).not.toContain('has stopped');
});

test('a worker that gets a signal while it starts stops without an error', async () => {
  const url = new URL(clone.url);
  const port = Number(url.port);
  let isAsking = false;
  const network = new Network(
    () => port,
    () => () => (isAsking = true),
  );
  url.port = String(await network.listen());
  await network.set('slow');
  const { child, exited } = launch(url.href);
  await expect.poll(() => isAsking).toBe(true);
  child.kill('SIGTERM');
  await network.set('open');
  expect(await exited).toBe(0);
  network.close();
});

test.each(['server', 'worker'])(
  'a %s ends with 78 and a sentence for wrong settings and a database that does not fit',
  async (name) => {
    const empty = await cloneDatabase(inject('postgresUrl'), 'template1');
    const other = await cloneDatabase(inject('postgresUrl'));
    const client = openDatabase(other.url, 1);
    await client.query("insert into installation values (true, '{0,3,0}', '{0,4,0}', sha256('another key'))");
    await client.close();
    for (const { exited, output, text } of [
      { ...launch(clone.url, name, { SECRET_KEY: 'short' }), text: /^SECRET_KEY: each key of SECRET_KEY needs/m },
      { ...launch(empty.url, name), text: /^The database has not the schema of this release/m },
      { ...launch(other.url, name), text: /^SECRET_KEY does not contain the key of this database/m },
    ]) {
      expect([await exited, output()]).toEqual([78, expect.stringMatching(text)]);
      expect(output()).not.toMatch(/^ +at /m);
    }
    await Promise.all([empty.drop(), other.drop()]);
  },
);
