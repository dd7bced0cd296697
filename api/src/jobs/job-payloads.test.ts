import { recoverPassword } from '@cellhop/contract/auth';
import { Logger, runOnce } from 'graphile-worker';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createUser, type TestUser } from '../../test/factories.ts';
import { mailsTo, newestLink, runJobs, startTestAppWithMail } from '../../test/mail.ts';
import type { TestApp } from '../../test/test-app.ts';
import type { Ctx } from '../ctx.ts';
import { cleanUpJobs, enqueue } from './jobs.ts';
import { sealMail } from '../mail/mail-requests.ts';
import { deliverMail } from '../mail/mailer.ts';

const LATER = new Date(Date.now() + 3_600_000);

let testApp: TestApp;
let user: TestUser;

beforeAll(async () => {
  testApp = await startTestAppWithMail();
  user = await createUser(testApp);
});
afterAll(() => testApp.stop());
beforeEach(() => testApp.database.query('delete from graphile_worker._private_jobs'));

const LINK = 'http://localhost:3000/restore-access/set-password?code=secret';
const order = () => ({
  template: 'recover-password' as const,
  to: user.email,
  languageCode: 'en' as const,
  values: { link: LINK },
});

interface Row {
  task: string;
  payload: Record<string, unknown>;
  lastError: string | null;
}
const readJobs = () =>
  testApp.database.query<Row>(
    `select task_identifier as task, payload, jobs.last_error as "lastError"
       from graphile_worker.jobs join graphile_worker._private_jobs using (id) order by id`,
  );

/** Enqueues a job like a process of another version. */
const addJob = (task: string, payload: unknown) =>
  testApp.database.query('select graphile_worker.add_job($1, $2::json, max_attempts => 12)', [
    task,
    JSON.stringify(payload),
  ]);
const failForGood = () =>
  testApp.database.query(
    "update graphile_worker._private_jobs set attempts = max_attempts, last_error = 'the mailbox is full'",
  );

describe('the job of a mail', () => {
  test('contains neither the link nor the address in plain text', async () => {
    await testApp.call(recoverPassword, { body: { email: user.email } });
    const [job, ...others] = await readJobs();
    expect(others).toEqual([]);
    expect(job).toMatchObject({ task: 'mail.deliver', payload: { template: 'recover-password' } });
    const link = await newestLink(testApp, user.email);
    const code = link.searchParams.get('code')!;
    expect(code.length).toBeGreaterThan(20);
    const stored = JSON.stringify(job);
    for (const secret of [code, user.email]) {
      expect(stored).not.toContain(secret);
      expect(Buffer.from(String(job!.payload['sealedOrder']), 'base64').includes(secret)).toBe(false);
    }
  });

  test('has the same form and size for an address without an account', async () => {
    await testApp.call(recoverPassword, { body: { email: 'nobody@example.com' } });
    const [job] = await readJobs();
    expect(job!.task).toBe('mail.none');
    expect(Object.keys(job!.payload)).toEqual(['template', 'sealedOrder', 'expiredAt', 'mailId']);
  });

  test('may have fields of newer versions, which are ignored', async () => {
    await addJob('mail.deliver', { ...sealMail(testApp.ctx, order(), LATER), priority: 'high' });
    const before = (await mailsTo(testApp, user.email)).length;
    expect(await readJobs()).toEqual([]);
    expect(before).toBeGreaterThanOrEqual(1);
    expect((await newestLink(testApp, user.email)).href).toBe(LINK);
  });

  test('is left to newer workers by one that would misread it', async () => {
    await enqueue(testApp.ctx, 'mail.deliver', sealMail(testApp.ctx, order(), LATER));
    const opened: unknown[] = [];
    await runOnce({
      connectionString: testApp.ctx.config.databaseUrl,
      taskList: { 'mail.deliver-before': async (payload) => void opened.push(payload), 'mail.none': async () => {} },
      noHandleSignals: true,
      logger: new Logger(() => () => {}),
    });
    expect(opened).toEqual([]);
    expect(await readJobs()).toHaveLength(1);
  });

  test('encrypted before a change of SECRET_KEY is sent after it', async () => {
    const before = (await mailsTo(testApp, user.email)).length;
    const sealed = sealMail(testApp.ctx, order(), LATER);
    const changed = withKeys('a newer secret key of at least 32 characters', ...testApp.ctx.config.secretKeys);
    await deliverMail(changed, sealed);
    expect(await mailsTo(testApp, user.email)).toHaveLength(before + 1);
  });

  test('with an expired link is not sent, and is deleted if no worker has run it', async () => {
    const before = (await mailsTo(testApp, user.email)).length;
    const expired = sealMail(testApp.ctx, order(), new Date(Date.now() - 1));
    await enqueue(testApp.ctx, 'mail.deliver', expired);
    expect(await mailsTo(testApp, user.email)).toHaveLength(before);
    expect(await readJobs()).toEqual([]);
    await enqueue(testApp.ctx, 'mail.deliver', expired);
    await enqueue(testApp.ctx, 'mail.none', expired);
    await enqueue(testApp.ctx, 'mail.deliver', sealMail(testApp.ctx, order(), new Date(Date.now() + 60_000)));
    await enqueue(testApp.ctx, 'mail.deliver', sealMail(testApp.ctx, order(), LATER));
    await cleanUpJobs(testApp.ctx);
    expect(await readJobs()).toHaveLength(2);
  });
});

/** The context of a process with another SECRET_KEY. */
function withKeys(...secretKeys: [string, ...string[]]): Ctx {
  return { ...testApp.ctx, config: { ...testApp.ctx.config, secretKeys } };
}

describe('a job that cannot be parsed', () => {
  test.each([
    ['mail.deliver', { template: 'recover-password', link: LINK }, /sealedOrder: .*; expiredAt: /],
    ['mail.deliver', { template: 'recover-password', sealedOrder: '!', expiredAt: null }, /sealedOrder: /],
    ['notifications.deliver', { broadcastId: 7 }, /broadcastId: /],
    ['notifications.deliver', null, /broadcastId|payload: /],
  ])('as %s %j fails, and the error names the field but no contents', async (task, payload, reason) => {
    const before = (await mailsTo(testApp, user.email)).length;
    await addJob(task, payload);
    await runJobs(testApp);
    const [job] = await readJobs();
    expect(job!.lastError).toMatch(new RegExp(`the payload of the job "${task}" cannot be read: `));
    expect(job!.lastError).toMatch(reason);
    expect(job!.lastError).not.toContain(LINK);
    expect(await mailsTo(testApp, user.email)).toHaveLength(before);
  });

  test('because it was encrypted with another key fails and sends nothing', async () => {
    await addJob('mail.deliver', sealMail(withKeys('another secret key of at least 32 characters'), order(), LATER));
    await runJobs(testApp);
    expect((await readJobs())[0]!.lastError).not.toBeNull();
  });
});

describe('a permanently failed job', () => {
  test('keeps its error but not the contents of its mail', async () => {
    await addJob('mail.none', { link: LINK });
    await enqueue(testApp.ctx, 'mail.deliver', sealMail(testApp.ctx, order(), LATER));
    await failForGood();
    await cleanUpJobs(testApp.ctx);
    const jobs = await readJobs();
    expect(jobs.map(({ payload }) => payload)).toEqual([
      {},
      { template: 'recover-password', expiredAt: LATER.toISOString(), mailId: expect.any(String) as string },
    ]);
    expect(new Set(jobs.map(({ lastError }) => lastError))).toEqual(new Set(['the mailbox is full']));
  });

  test('is in the metrics until it is deleted after 30 days', async () => {
    const readMetric = async () =>
      /\njobs_failed (\d+)\n/.exec(await (await fetch(`${testApp.url}/metrics`)).text())?.[1];
    await addJob('mail.none', {});
    expect(await readMetric()).toBe('0');
    await failForGood();
    await cleanUpJobs(testApp.ctx);
    expect(await readMetric()).toBe('1');
    await testApp.database.query("update graphile_worker._private_jobs set updated_at = now() - interval '31 days'");
    await cleanUpJobs(testApp.ctx);
    expect(await readMetric()).toBe('0');
  });
});
