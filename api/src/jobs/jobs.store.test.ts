import fs from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../test/test-app.ts';

let testApp: TestApp;
beforeAll(async () => {
  testApp = await startTestApp();
});
afterAll(() => testApp.stop());

const columnsOf = async (table: string) => {
  const rows = await testApp.database.query<{ column: string }>(
    `select attname || ' ' || format_type(atttypid, atttypmod) || case when attnotnull then ' not null' else '' end as column
       from pg_attribute where attrelid = $1::regclass and attnum > 0 and not attisdropped order by attname`,
    [`graphile_worker.${table}`],
  );
  return rows.map(({ column }) => column);
};

test('the private tables of the job runner are those that the statements were written for', async () => {
  expect(await columnsOf('_private_jobs')).toEqual([
    'attempts smallint not null',
    'created_at timestamp with time zone not null',
    'flags jsonb',
    'id bigint not null',
    'is_available boolean not null',
    'job_queue_id integer',
    'key text',
    'last_error text',
    'locked_at timestamp with time zone',
    'locked_by text',
    'max_attempts smallint not null',
    'payload json not null',
    'priority smallint not null',
    'revision integer not null',
    'run_at timestamp with time zone not null',
    'task_id integer not null',
    'updated_at timestamp with time zone not null',
  ]);
  expect(await columnsOf('_private_tasks')).toEqual(['id integer not null', 'identifier text not null']);
});

test('no other file has statements on them', () => {
  const source = new URL('../', import.meta.url);
  const files = fs
    .readdirSync(source, { recursive: true, encoding: 'utf8' })
    .filter((file) => /(?<!\.test)\.ts$/.test(file));
  const naming = files.filter((file) => fs.readFileSync(new URL(file, source), 'utf8').includes('graphile_worker._'));
  expect(naming).toEqual(['jobs/jobs.store.ts']);
});
