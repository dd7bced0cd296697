import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../test/test-app.ts';
import { correctFutureJobs, enqueue, type Jobs } from './jobs.ts';

let testApp: TestApp;
beforeAll(async () => {
  testApp = await startTestApp();
});
beforeEach(() => testApp.reset());
afterAll(() => testApp.stop());

const payload = { broadcastId: randomUUID() };
const payloads = {
  'notifications.deliver': payload,
  'notifications.deliver-scheduled': payload,
  'mail.none': {},
} satisfies Partial<Jobs>;

/** A job as it is after the clock was set back. */
async function addJob(name: keyof typeof payloads, { attempts, seconds }: { attempts: number; seconds: number }) {
  await enqueue(testApp.ctx, name, payloads[name]);
  await testApp.database.query(
    `update graphile_worker._private_jobs set attempts = $1, run_at = now() + $2::int * interval '1 second'`,
    [attempts, seconds],
  );
}
const readWaitSeconds = async () => {
  const [row] = await testApp.database.query<{ seconds: number }>(
    'select greatest(0, round(extract(epoch from run_at - now())))::int as seconds from graphile_worker.jobs',
  );
  return row!.seconds;
};

const HOURS = 3600;
const BACKOFF = Math.floor(Math.exp(10));
test.each<[keyof typeof payloads, number, number, number]>([
  ['notifications.deliver', 0, 3 * HOURS, 0],
  ['notifications.deliver', 0, 100, 0],
  ['notifications.deliver', 4, 3 * HOURS, 0],
  ['notifications.deliver', 4, 500, 500],
  ['notifications.deliver', 10, BACKOFF, BACKOFF],
  ['notifications.deliver', 11, BACKOFF, BACKOFF],
  ['notifications.deliver', 11, BACKOFF + 60, 0],
  ['mail.none', 1, 600, 600],
  ['mail.none', 1, 700, 0],
  ['notifications.deliver-scheduled', 0, 3 * HOURS, 3 * HOURS],
  ['notifications.deliver-scheduled', 1, 3 * HOURS, 0],
])('a job %s after %i attempts that waits %i s waits %i s', async (name, attempts, seconds, expected) => {
  await addJob(name, { attempts, seconds });
  await correctFutureJobs(testApp.ctx);
  expect(Math.abs((await readWaitSeconds()) - expected)).toBeLessThan(60);
});

test('a failed job stays failed, and a running one keeps its lock, which counts from now', async () => {
  await addJob('notifications.deliver', { attempts: 12, seconds: 9 * HOURS });
  await correctFutureJobs(testApp.ctx);
  expect(await readWaitSeconds()).toBeGreaterThan(8 * HOURS);
  await testApp.database.query(
    `update graphile_worker._private_jobs set attempts = 1, locked_by = 'a worker', locked_at = now() + interval '3 hours'`,
  );
  await correctFutureJobs(testApp.ctx);
  const [row] = await testApp.database.query(
    `select locked_by as "lockedBy", locked_at between now() - interval '1 minute' and now() as "isNow" from graphile_worker._private_jobs`,
  );
  expect(row).toEqual({ lockedBy: 'a worker', isNow: true });
});

test('no job was added in the future, so that the age of a mail grows', async () => {
  await addJob('mail.none', { attempts: 0, seconds: 0 });
  await testApp.database.query(`update graphile_worker._private_jobs set created_at = now() + interval '3 hours'`);
  await correctFutureJobs(testApp.ctx);
  const [row] = await testApp.database.query('select created_at <= now() as "isPast" from graphile_worker.jobs');
  expect(row).toEqual({ isPast: true });
});
