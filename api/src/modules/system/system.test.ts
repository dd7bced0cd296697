import { getSystemState, listJobs, retryJob } from '@cellhop/contract/staff/system';
import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { createUser, type TestUser } from '../../../test/factories.ts';
import { newInvoice, send, watch } from '../../../test/sandbox-payments.ts';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { cleanUpJobs, enqueue, hideSecrets } from '../../jobs/jobs.ts';
import { sandboxRates } from '../../dev/sandbox.ts';
import { chains } from '../../payments/currencies.ts';

let testApp: TestApp;
let admin: TestUser;
beforeAll(async () => {
  testApp = await startTestApp();
  admin = await createUser(testApp, { roleName: 'ADMIN' });
});
afterEach(() => {
  vi.restoreAllMocks();
});
afterAll(() => testApp.stop());

/** A job with some failed attempts, of at most 12. */
async function newJob(
  attempts: number,
  error: string | null = null,
  name: 'mail.none' | 'notifications.deliver' = 'notifications.deliver',
) {
  const broadcastId = '0192f7a0-1111-4222-8333-444455556666';
  const payload = name === 'mail.none' ? { link: 'https://example.com' } : { broadcastId };
  await enqueue(testApp.ctx, name, payload as never);
  const [row] = await testApp.database.query<{ id: bigint }>(
    `update graphile_worker._private_jobs set attempts = $1, last_error = $2, run_at = now() + interval '1 hour'
      where id = (select max(id) from graphile_worker._private_jobs) returning id`,
    [attempts, error],
  );
  return String(row!.id);
}
const find = async (id: string) => {
  const { data } = await admin.call(listJobs, { query: { size: 100 } });
  return data.find((job) => job.id === id);
};
const retry = async (id: string) =>
  (await admin.call(retryJob, { params: { id }, body: { reason: 'the server is back' } })).data;

describe('the state of the system', () => {
  test('has the reconciliation, jobs, chains and the database', async () => {
    const user = await createUser(testApp);
    await send(testApp, await newInvoice(user));
    await watch(testApp, 'BTC');
    await newJob(12);
    const { data } = await admin.call(getSystemState, {});
    expect(data.reconciliation.status).toBe('NEVER_RUN');
    expect(data.jobs.failed).toBeGreaterThan(0);
    expect(data.chains.map(({ chain }) => chain)).toEqual([...chains]);
    expect(data.chains[0]).toMatchObject({
      chain: 'bitcoin',
      isWatched: true,
      problem: null,
      openDeposits: 1,
      heldDeposits: 0,
    });
    expect(data.peg).toEqual({ isKept: true, rate: null });
    vi.spyOn(sandboxRates, 'peg').mockResolvedValue({ isKept: false, marketE12: 805n * 10n ** 9n });
    expect((await admin.call(getSystemState, {})).data.peg).toEqual({ isKept: false, rate: '0.805' });
    expect(data.database.version).toMatch(/^\d+\.\d+/);
    expect(data.database.bytes).toBeGreaterThan(1_000_000);
    expect(data.database.connections).toBeLessThanOrEqual(data.database.connectionsMax);
    expect(data.database.pool.used + data.database.pool.idle).toBeGreaterThan(0);
  });
});

describe('jobs', () => {
  test('are listed with their state, the failed ones first', async () => {
    const states = {
      WAITING: await newJob(0),
      RETRYING: await newJob(3, 'no route'),
      FAILED: await newJob(12, 'no route'),
    };
    for (const [state, id] of Object.entries(states)) expect(await find(id)).toMatchObject({ state, attemptsMax: 12 });
    const { data } = await admin.call(listJobs, { query: {} });
    expect(data[0]!.state).toBe('FAILED');
    const waiting = await admin.call(listJobs, { query: { state: 'WAITING' } });
    expect(new Set(waiting.data.map(({ state }) => state))).toEqual(new Set(['WAITING']));
  });

  test('that failed run again at once, which is in the audit log', async () => {
    const id = await newJob(12, 'no route');
    const retried = await retry(id);
    expect(retried).toMatchObject({ id, state: 'WAITING', attempts: 0, canRetry: false });
    expect(Date.parse(retried.runAt)).toBeLessThan(Date.now() + 5000);
    const [entry] = await testApp.database.query<{ details: object }>(
      `select details from audit_log where action = 'JOB_RETRIED' and actor_id = $1 order by id desc limit 1`,
      [admin.id],
    );
    expect(entry!.details).toEqual({
      name: 'notifications.deliver',
      job: id,
      reason: 'the server is back',
      before: { state: 'FAILED', attempts: 12 },
      after: { state: 'WAITING', attempts: 0 },
    });
    await expect(retry(id)).rejects.toMatchObject({ status: 409, code: 'JOB_NOT_FAILED' });
  });

  test('that run, or whose mail was deleted, are not retried', async () => {
    const running = await newJob(1);
    await testApp.database.query(
      `update graphile_worker._private_jobs set locked_at = now(), locked_by = 'w' where id = $1`,
      [running],
    );
    const mail = await newJob(10_000, 'refused', 'mail.none');
    expect(await find(mail)).toMatchObject({ canRetry: true });
    await cleanUpJobs(testApp.ctx);
    expect(await find(mail)).toMatchObject({ canRetry: false });
    for (const id of [running, mail]) await expect(retry(id)).rejects.toMatchObject({ code: 'JOB_NOT_FAILED' });
    await expect(retry('999999999')).rejects.toMatchObject({ status: 404 });
  });

  test('show errors without addresses, links and codes', async () => {
    const code = randomBytes(24).toString('base64url');
    const id = await newJob(4, `550 <user@example.com> unknown, see https://example.com/confirm?code=1\n at ${code}`);
    expect((await find(id))!.lastError).toBe('550 <[address]> unknown, see [link]');
    expect(hideSecrets(`token ${code}0 was refused`)).toBe('token [code] was refused');
    expect(hideSecrets('connect ECONNREFUSED 127.0.0.1:25')).toBe('connect ECONNREFUSED 127.0.0.1:25');
    expect(hideSecrets('x'.repeat(5000))).toHaveLength(300);
  });
});

test('the system is forbidden without its permissions', async () => {
  const finance = await createUser(testApp, { roleName: 'FINANCE' });
  await expect(finance.call(getSystemState, {})).rejects.toMatchObject({ status: 403 });
  await expect(finance.call(listJobs, { query: {} })).rejects.toMatchObject({ status: 403 });
  await expect(finance.call(retryJob, { params: { id: '1' }, body: {} })).rejects.toMatchObject({ status: 403 });
});
