import { runOnce, Logger } from 'graphile-worker';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { mailsTo, startTestAppWithMail } from '../../test/mail.ts';
import { startTestApp, type TestApp } from '../../test/test-app.ts';
import { enqueue } from '../jobs.ts';
import { tasks } from '../tasks.ts';
import type { MailOrder } from './mailer.ts';

let testApp: TestApp;
beforeAll(async () => {
  testApp = await startTestAppWithMail({ brandName: 'Прокси & Co', mailFrom: 'Прокси <shop@example.com>' });
});
afterAll(() => testApp.stop());

const orderTo = (to: string): MailOrder => ({
  template: 'confirm-email',
  to,
  languageCode: 'ru',
  values: { link: 'http://localhost:3000/?a=1&b=2' },
});

test('a mail arrives as it was written, Cyrillic and all', async () => {
  await enqueue(testApp.ctx, 'mail.send', orderTo('reader@example.com'));
  const [mail] = await mailsTo(testApp, 'reader@example.com');
  expect(mail!.subject).toBe('Подтвердите адрес для Прокси & Co');
  expect(mail!.text).toContain('Спасибо за регистрацию в Прокси & Co.');
  expect(mail!.links).toEqual(['http://localhost:3000/?a=1&b=2']);
});

test('a change that is rolled back sends nothing', async () => {
  const rolledBack = testApp.ctx.tx(async (ctx) => {
    await enqueue(ctx, 'mail.send', orderTo('nobody@example.com'));
    throw new Error('changed my mind');
  });
  await expect(rolledBack).rejects.toThrow('changed my mind');
  expect(await mailsTo(testApp, 'nobody@example.com')).toEqual([]);
});

test('a mail that the server did not take waits to be tried again', async () => {
  const unlucky = await startTestApp({ mailSinkPort: 1 });
  await enqueue(unlucky.ctx, 'mail.send', orderTo('patient@example.com'));
  await runOnce({
    connectionString: unlucky.ctx.config.databaseUrl,
    taskList: tasks(unlucky.ctx),
    noHandleSignals: true,
    logger: new Logger(() => () => {}),
  });
  const jobs = await unlucky.database.query<{ attempts: number; isLater: boolean }>(
    'select attempts, run_at > now() as "isLater" from graphile_worker.jobs',
  );
  expect(jobs).toEqual([{ attempts: 1, isLater: true }]);
  await unlucky.stop();
});
