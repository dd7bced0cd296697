/** @module-tag thorough */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Network } from '../../../faults/network.ts';
import { listenSilently } from '../../test/silent-server.ts';
import { startTestApp, type TestApp } from '../../test/test-app.ts';
import { createCtx } from '../ctx.ts';
import { startJobRunner } from './job-runner.ts';
import { enqueue } from './jobs.ts';
import { sealMail } from '../mail/mail-requests.ts';

const LATER = new Date(Date.now() + 3_600_000);

let testApp: TestApp;
beforeAll(async () => {
  testApp = await startTestApp();
});
afterAll(() => testApp.stop());

async function listeners(): Promise<number[]> {
  const rows = await testApp.database.query<{ pid: number }>(
    `select pid from pg_stat_activity
      where datname = current_database() and application_name <> 'live events' and (query like 'LISTEN "jobs:insert"%' or query = 'select 1')`,
  );
  return rows.map(({ pid }) => pid);
}

test('after the database connection drops silently, lost jobs run again and a new connection listens', async () => {
  const url = new URL(testApp.ctx.config.databaseUrl);
  const port = Number(url.port);
  const network = new Network(() => port);
  url.port = String(await network.listen());
  const config = { ...testApp.ctx.config, databaseUrl: url.href, databaseTimeLimitMs: 1500 };
  const runner = await startJobRunner(createCtx(testApp.database, config, testApp.ctx.log), {
    probeEveryMs: 200,
    // A job fetched when the network failed is locked by a runner that never received it.
    renewEveryMs: 200,
    abandonedAfterMs: 3000,
  });
  await expect.poll(async () => (await listeners()).length).toBe(1);
  const [lost] = await listeners();

  await network.set('blackholed');
  await enqueue(testApp.ctx, 'mail.none', { link: 'https://example.com' });
  await network.set('open');
  const waiting = () => testApp.database.query("select from graphile_worker.jobs where task_identifier like 'mail.%'");
  await expect.poll(async () => (await waiting()).length).toBe(0);
  await expect.poll(async () => (await listeners()).filter((pid) => pid !== lost).length).toBe(1);

  await runner.stop();
  await runner.ended;
  network.close();
});

test('a runner whose first fetch gets no response does not start, and the next one works', async () => {
  const url = new URL(testApp.ctx.config.databaseUrl);
  const port = Number(url.port);
  const network: Network = new Network(
    () => port,
    () => (piece) => {
      if (piece.includes('_private_tasks as tasks (identifier)')) void network.set('blackholed');
    },
  );
  url.port = String(await network.listen());
  const config = { ...testApp.ctx.config, databaseUrl: url.href, databaseTimeLimitMs: 500 };
  const ctx = createCtx(testApp.database, config, testApp.ctx.log);
  await enqueue(testApp.ctx, 'mail.none', {});

  await expect(startJobRunner(ctx)).rejects.toThrow(/timeout/i);
  await network.set('open');
  network.close();

  const runner = await startJobRunner(testApp.ctx);
  await expect.poll(async () => (await waitingJobs()).length).toBe(0);
  await runner.stop();
  await runner.ended;
});

const waitingJobs = () =>
  testApp.database.query<{ attempts: number; isLocked: boolean }>(
    `select attempts, locked_at is not null as "isLocked" from graphile_worker.jobs where task_identifier like 'mail.%'`,
  );

test('a job fetched by a killed worker is run by another one', async () => {
  await enqueue(testApp.ctx, 'mail.none', {});
  await testApp.database.query(
    `update graphile_worker._private_jobs set locked_by = 'killed', locked_at = now() - interval '6 minutes', attempts = 1`,
  );
  const runner = await startJobRunner(testApp.ctx, { renewEveryMs: 50 });
  await expect.poll(async () => (await waitingJobs()).length).toBe(0);
  await runner.stop();
  await runner.ended;
});

test('a long job stays with its worker', async () => {
  const mailServer = await listenSilently();
  const config = { ...testApp.ctx.config, smtpUrl: `smtp://127.0.0.1:${mailServer.port}` };
  const ctx = createCtx(testApp.database, config, testApp.ctx.log);
  const order = {
    template: 'recover-password',
    to: 'user@example.com',
    languageCode: 'en',
    values: { link: 'https://example.com' },
  } as const;
  await enqueue(ctx, 'mail.deliver', sealMail(ctx, order, LATER));
  const runner = await startJobRunner(ctx, { renewEveryMs: 50, abandonedAfterMs: 3000 });
  await mailServer.connected;
  // Another runner releases abandoned jobs too, and would find this one.
  const other = await startJobRunner(ctx, { renewEveryMs: 50, abandonedAfterMs: 3000 });
  await testApp.database.query('select pg_sleep(4)');
  expect(await waitingJobs()).toEqual([{ attempts: 1, isLocked: true }]);
  mailServer.close();
  await Promise.all([runner, other].map(async (each) => each.stop().then(() => each.ended)));
});
