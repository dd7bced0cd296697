import { afterAll, beforeAll, expect, test } from 'vitest';
import { Network } from '../../faults/network.ts';
import { startTestApp, type TestApp } from '../test/test-app.ts';
import { createCtx } from './ctx.ts';
import { startJobRunner } from './job-runner.ts';
import { enqueue } from './jobs.ts';

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

/** A job that is fetched just when the network breaks would be locked by a runner that never heard of it. */
async function isIdle(): Promise<boolean> {
  const rows = await testApp.database.query(
    `select from pg_stat_activity
      where datname = current_database() and state <> 'idle' and pid <> pg_backend_pid()`,
  );
  return rows.length === 0;
}

test(
  'jobs are done again after the network to the database was lost without a word, and a new connection listens',
  { timeout: 150_000 },
  async () => {
    const url = new URL(testApp.ctx.config.databaseUrl);
    const port = Number(url.port);
    const network = new Network(() => port);
    url.port = String(await network.listen());
    const config = { ...testApp.ctx.config, databaseUrl: url.href, databaseTimeLimitMs: 1500 };
    const runner = await startJobRunner(createCtx(testApp.database, config, testApp.ctx.log), { probeEveryMs: 200 });
    await expect.poll(async () => (await listeners()).length).toBe(1);
    const [lost] = await listeners();

    await expect.poll(isIdle, { timeout: 60_000 }).toBe(true);
    await network.set('blackholed');
    await enqueue(testApp.ctx, 'mail.none', { link: 'https://example.com' });
    await network.set('open');
    const waiting = () => testApp.database.query('select from graphile_worker.jobs');
    await expect.poll(async () => (await waiting()).length, { timeout: 60_000 }).toBe(0);
    await expect
      .poll(async () => (await listeners()).filter((pid) => pid !== lost).length, { timeout: 60_000 })
      .toBe(1);

    await runner.stop();
    await runner.ended;
    network.close();
  },
);
