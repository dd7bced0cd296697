import { changePassword, recoverPassword } from '@cellhop/contract/auth';
import { listMailsToUser } from '@cellhop/contract/staff/mails';
import { randomUUID } from 'node:crypto';
import { Logger, runOnce } from 'graphile-worker';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createUser, PASSWORD, type TestUser } from '../../../test/factories.ts';
import { mailsTo, runJobs, startTestAppWithMail } from '../../../test/mail.ts';
import type { TestApp } from '../../../test/test-app.ts';
import { sealMail } from '../../mail/mail-requests.ts';
import { hastenMails } from '../../jobs/jobs.ts';
import { deleteOldMails, deliver, send } from './mails.service.ts';

const LATER = new Date(Date.now() + 3_600_000);

let testApp: TestApp;
let support: TestUser;
beforeAll(async () => {
  testApp = await startTestAppWithMail();
  support = await createUser(testApp, { roleName: 'SUPPORT' });
});
afterAll(() => testApp.stop());

const list = (user: { id: string }, page = 1, size = 50) =>
  support.call(listMailsToUser, { params: { id: user.id }, query: { page, size } });
const request = ({ email }: TestUser) =>
  ({ template: 'confirm-email', to: email, languageCode: 'ru', values: { link: 'http://localhost/secret' } }) as const;

test('staff see which mails a user was sent and when, newest first, without texts, links or codes', async () => {
  const user = await createUser(testApp);
  await testApp.call(recoverPassword, { body: { email: user.email } });
  await user.call(changePassword, { body: { currentPassword: PASSWORD, password: 'another good password' } });
  const queued = await list(user);
  expect(queued.data.map(({ kind, status, endedAt }) => [kind, status, endedAt])).toEqual([
    ['password-changed', 'QUEUED', null],
    ['recover-password', 'QUEUED', null],
  ]);
  expect(await mailsTo(testApp, user.email)).toHaveLength(2);
  const sent = await list(user);
  expect(sent.data.map(({ status }) => status)).toEqual(['SENT', 'SENT']);
  expect(Object.keys(sent.data[0]!)).toEqual(['id', 'kind', 'languageCode', 'status', 'queuedAt', 'endedAt']);
  const [row] = await testApp.database.query<object>('select * from sent_mails where user_id = $1', [user.id]);
  expect(JSON.stringify(row)).not.toContain(user.email);
  expect(JSON.stringify(row)).not.toContain('http');
});

test('a mail that the server does not accept is shown as failed, and as sent once a retry succeeds', async () => {
  const user = await createUser(testApp);
  const mailId = randomUUID();
  await send(testApp.ctx, user.id, request(user), null);
  const [queued] = (await list(user)).data;
  const mail = { ...sealMail(testApp.ctx, request(user), LATER), mailId: queued!.id };
  const unlucky = { ...testApp.ctx, config: { ...testApp.ctx.config, mailSinkPort: 1 } };
  await expect(deliver(unlucky, mail)).rejects.toThrow('ECONNREFUSED');
  expect((await list(user)).data).toMatchObject([{ status: 'FAILED', endedAt: expect.any(String) as string }]);
  await deliver(testApp.ctx, mail);
  expect((await list(user)).data).toMatchObject([{ status: 'SENT' }]);
  // The row may have been deleted in the meantime.
  await deliver(testApp.ctx, { ...mail, mailId });
});

/** The jobs of mails that workers of 0.4.0 know, and the kinds that they can render. */
const JOBS_BEFORE = ['mail.deliver', 'mail.deliver-news', 'mail.deliver-notice', 'mail.none'];
const KINDS_BEFORE = new Set(['confirm-email', 'disk-full']);
const KINDS_SINCE = ['exits-failing', 'certificate-ending', 'certificate-expired'] as const;

test('a mail of a kind that workers of 0.4.0 cannot render is left to those of this release, and holds no other up', async () => {
  await testApp.database.query('delete from graphile_worker._private_jobs');
  const user = await createUser(testApp);
  const values = { link: 'http://localhost:3000/admin' };
  for (const template of [...KINDS_SINCE, 'disk-full', 'confirm-email'] as const)
    await send(testApp.ctx, user.id, { template, to: user.email, languageCode: 'en', values }, null);
  const rendered: string[] = [];
  const task = (payload: unknown) => {
    const { template } = payload as { template: string };
    if (!KINDS_BEFORE.has(template)) throw new Error(`it cannot render ${template}`);
    rendered.push(template);
  };
  await runOnce({
    connectionString: testApp.ctx.config.databaseUrl,
    taskList: Object.fromEntries(JOBS_BEFORE.map((name) => [name, task])),
    noHandleSignals: true,
    logger: new Logger(() => () => {}),
  });
  expect(rendered).toEqual(['disk-full', 'confirm-email']);
  const statuses = async () => (await list(user)).data.map(({ kind, status }) => [kind, status]);
  const all = (status: string) => expect.arrayContaining(KINDS_SINCE.map((kind) => [kind, status])) as unknown;
  expect(await statuses()).toEqual(all('QUEUED'));
  const jobs = await testApp.database.query<{ attempts: number }>(
    `select attempts from graphile_worker.jobs where task_identifier = 'mail.deliver-alert'`,
  );
  expect(jobs).toEqual(KINDS_SINCE.map(() => ({ attempts: 0 })));
  expect(await mailsTo(testApp, user.email)).toHaveLength(KINDS_SINCE.length);
  expect(await statuses()).toEqual(all('SENT'));
});

test('a mail whose link has expired is not sent', async () => {
  const user = await createUser(testApp);
  await send(testApp.ctx, user.id, request(user), new Date(Date.now() - 1000));
  expect(await mailsTo(testApp, user.email)).toEqual([]);
  expect((await list(user)).data).toMatchObject([{ status: 'FAILED', languageCode: 'ru' }]);
});

test(
  'a mail is tried again every ten minutes for three days, or as long as its link works',
  { tags: ['thorough'] },
  async () => {
    const user = await createUser(testApp);
    const away = { ...testApp, ctx: { ...testApp.ctx, config: { ...testApp.ctx.config, mailSinkPort: 1 } } };
    const day = 24 * 3_600_000;
    await send(testApp.ctx, user.id, request(user), null);
    await send(testApp.ctx, user.id, request(user), new Date(Date.now() + day));
    const jobs = () =>
      testApp.database.query<{ expiredAt: string; waitMs: number }>(
        `select payload->>'expiredAt' as "expiredAt", extract(epoch from run_at - now())::float8 * 1000 as "waitMs"
         from graphile_worker._private_jobs where attempts < max_attempts order by id`,
      );
    const lifetimes = (await jobs()).map(({ expiredAt }) => Math.round((Date.parse(expiredAt) - Date.now()) / day));
    expect(lifetimes).toEqual([3, 1]);
    for (let attempt = 0; attempt < 30; attempt += 1) {
      await testApp.database.query('update graphile_worker._private_jobs set run_at = now()');
      await runJobs(away);
      await hastenMails(testApp.ctx);
    }
    for (const { waitMs } of await jobs()) expect(waitMs).toBeLessThanOrEqual(600_000);
    await testApp.database.query('update graphile_worker._private_jobs set run_at = now()');
    expect(await mailsTo(testApp, user.email)).toHaveLength(2);
  },
);

test('an address without an account leaves no row', async () => {
  const count = async () => (await testApp.database.query('select from sent_mails')).length;
  const before = await count();
  await testApp.call(recoverPassword, { body: { email: 'nobody@example.com' } });
  await runJobs(testApp);
  expect(await count()).toBe(before);
});

test('the list has pages, hides unknown kinds, and ends after 90 days', async () => {
  const user = await createUser(testApp);
  await testApp.database.query(
    `insert into sent_mails (id, user_id, template, language_code, queued_at)
     select gen_random_uuid(), $1, template, 'en', now() - days * interval '1 day'
       from (values ('new-sign-in', 1), ('of-a-newer-release', 2), ('confirm-email', 89), ('confirm-email', 91)) as mail (template, days)`,
    [user.id],
  );
  const second = await list(user, 2, 1);
  expect(second).toMatchObject({ data: [{ kind: 'confirm-email' }], totalPages: 3 });
  await deleteOldMails(testApp.ctx);
  expect((await list(user)).data.map(({ kind }) => kind)).toEqual(['new-sign-in', 'confirm-email']);
});

test('requires USERS_READ and a user', async () => {
  const user = await createUser(testApp);
  await expect(user.call(listMailsToUser, { params: { id: user.id }, query: {} })).rejects.toMatchObject({
    status: 403,
  });
  await expect(list({ id: randomUUID() })).rejects.toMatchObject({ status: 404 });
});
