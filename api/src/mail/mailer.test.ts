import { runOnce, Logger } from 'graphile-worker';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { mailsTo, startTestAppWithMail } from '../../test/mail.ts';
import { startTestApp, type TestApp } from '../../test/test-app.ts';
import type { Ctx } from '../ctx.ts';
import type { Config } from '../process/config.ts';
import { enqueue } from '../jobs/jobs.ts';
import { jobHandlers } from '../jobs/job-handlers.ts';
import { sealMail } from './mail-requests.ts';
import { deliverMail, requireEncryption } from './mailer.ts';
import type { MailRequest } from './templates.ts';

const LATER = new Date(Date.now() + 3_600_000);

let testApp: TestApp;
beforeAll(async () => {
  testApp = await startTestAppWithMail({ brandName: 'Прокси & Co', mailFrom: 'Прокси <shop@example.com>' });
});
afterAll(() => testApp.stop());

const send = (ctx: Ctx, request: MailRequest) => enqueue(ctx, 'mail.deliver', sealMail(ctx, request, LATER));
const orderTo = (to: string): MailRequest => ({
  template: 'confirm-email',
  to,
  languageCode: 'ru',
  values: { link: 'http://localhost:3000/?a=1&b=2' },
});

test('a mail arrives unchanged, with Cyrillic text', async () => {
  await send(testApp.ctx, orderTo('reader@example.com'));
  const [mail] = await mailsTo(testApp, 'reader@example.com');
  expect(mail!.subject).toBe('Подтвердите email для Прокси & Co');
  expect(mail!.text).toContain('Спасибо за регистрацию в Прокси & Co.');
  expect(mail!.links).toEqual(['http://localhost:3000/?a=1&b=2']);
});

const event = { device: 'Firefox on Linux', address: '203.0.113.7', at: '2026-11-21T18:05:09.000Z' };
const link = 'http://localhost:3000/?a=1&b=2';
const requests: Omit<MailRequest, 'to' | 'languageCode'>[] = [
  { template: 'confirm-email', values: { link } },
  { template: 'recover-password', values: { link } },
  { template: 'password-changed', values: { link, ...event } },
  { template: 'new-sign-in', values: { link, ...event } },
  { template: 'second-factor-off', values: { link, ...event } },
  { template: 'account-deleted', values: { link, at: event.at } },
  { template: 'top-up', values: { link, amount: 25 } },
  { template: 'ticket-answer', values: { link, ticket: 'It is slow', message: 'Hello\nthere' } },
  { template: 'ticket-opened', values: { link, ticket: 'It is slow', message: 'Hello\nthere' } },
  { template: 'low-balance', values: { link, balance: 4.2 } },
  { template: 'near-cap', values: { link, ip: '203.0.113.7', usedMegabytes: 32, capMegabytes: 40 } },
  { template: 'no-money', values: { link, ip: '203.0.113.7', otherCount: 2, refund: 0 } },
  { template: 'ended-idle', values: { link, ip: '203.0.113.7', otherCount: 0, refund: 0.4 } },
  { template: 'ended-exit-lost', values: { link, ip: '203.0.113.7', otherCount: 0, refund: 0.4 } },
  { template: 'database-restored', values: { link } },
  { template: 'disk-full', values: { link } },
  { template: 'backup-late', values: { link } },
  { template: 'exits-failing', values: { link } },
  { template: 'certificate-ending', values: { link } },
  { template: 'certificate-expired', values: { link } },
];
const news: Omit<MailRequest, 'to' | 'languageCode'> = {
  template: 'news',
  values: { link, subject: 'News', html: ['Portugal'], text: 'Portugal' },
};
const titles = {
  en: [
    'Confirm your email',
    'Set a new password',
    'Your password was changed',
    'New sign-in',
    'Two-factor sign-in was turned off',
    'Your account was deleted',
    'Your balance was topped up',
    'Support has replied',
    'New ticket',
    'Your balance is low',
    'Traffic limit nearly reached',
    'Your balance has run out',
    'Disconnected: no traffic',
    'Disconnected: the proxy went offline',
    'The database was restored to an earlier time',
    'The disk is nearly full',
    'The newest backup is too old',
    'A tenth of the exits of a gateway fail',
    'The TLS certificate of a gateway ends soon',
    'The TLS certificate of a gateway has expired',
  ],
  ru: [
    'Подтвердите email',
    'Задайте новый пароль',
    'Ваш пароль изменён',
    'Новый вход',
    'Двухфакторный вход выключен',
    'Ваш аккаунт удалён',
    'Баланс пополнен',
    'Поддержка ответила',
    'Новое обращение',
    'На балансе мало средств',
    'Лимит трафика почти исчерпан',
    'Средства на балансе закончились',
    'Отключено: нет трафика',
    'Отключено: прокси отключился от сети',
    'База данных восстановлена на более ранний момент',
    'Диск почти заполнен',
    'Последняя резервная копия устарела',
    'У шлюза не работает десятая часть узлов выхода',
    'TLS-сертификат шлюза скоро истекает',
    'TLS-сертификат шлюза истёк',
  ],
};

test.each(
  requests.flatMap((request, index) => (['en', 'ru'] as const).map((code) => [request.template, code, index] as const)),
)('%s in %s travels over SMTP as text and as HTML', async (template, languageCode, index) => {
  const to = `${template}-${languageCode}@example.com`;
  await send(testApp.ctx, { ...requests[index]!, to, languageCode } as MailRequest);
  const [mail] = await mailsTo(testApp, to);
  const title = titles[languageCode][index]!;
  expect(mail!.text.startsWith(`${title}\n\n`)).toBe(true);
  expect(mail!.html).toContain(`>${title}</h1>`);
  expect(mail!.html).toContain(`<html lang="${languageCode}">`);
  expect(mail!.subject).toContain('Прокси & Co');
  expect(mail!.links).toEqual([link]);
});

/** @returns the header of each mail as it travels */
async function headersOf(sent: typeof requests, overrides: Partial<Config> = {}): Promise<string[]> {
  const received: string[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData: (stream, _session, done) =>
      void text(stream)
        .then((raw) => received.push(raw))
        .finally(done),
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const mailSinkPort = (server.server.address() as AddressInfo).port;
  const ctx = { ...testApp.ctx, config: { ...testApp.ctx.config, mailSinkPort, ...overrides } };
  for (const request of sent)
    await deliverMail(
      ctx,
      sealMail(ctx, { ...request, to: 'away@example.com', languageCode: 'en' } as MailRequest, LATER),
    );
  await new Promise<void>((resolve) => server.close(resolve));
  expect(received).toHaveLength(sent.length);
  return received.map((raw) => raw.slice(0, raw.indexOf('\r\n\r\n')));
}

test('every mail says that a program has sent it and that it answers none, so that absence notes do not reply', async () => {
  for (const headers of await headersOf([...requests, news])) {
    expect(headers).toMatch(/^Auto-Submitted: auto-generated$/m);
    expect(headers).not.toMatch(/^(?:In-Reply-To|References):/im);
  }
});

test('replies go to MAIL_REPLY_TO, without it to the sender', async () => {
  const [set] = await headersOf([news], { mailReplyTo: 'Support <help@example.com>' });
  expect(set).toMatch(/^Reply-To: Support <help@example\.com>$/m);
  expect((await headersOf([news]))[0]).not.toMatch(/^Reply-To/im);
});

test('mail programs can unsubscribe from news with one click, and from nothing else', async () => {
  const [ofNews, ...others] = await headersOf([news, ...requests]);
  expect(ofNews).toContain(`List-Unsubscribe: <${link}>\r\n`);
  expect(ofNews).toMatch(/^List-Unsubscribe-Post: List-Unsubscribe=One-Click$/m);
  for (const headers of others) expect(headers).not.toMatch(/^List-Unsubscribe/im);
});

test('a transaction that is rolled back sends no mail', async () => {
  const rolledBack = testApp.ctx.tx(async (ctx) => {
    await send(ctx, orderTo('nobody@example.com'));
    throw new Error('changed my mind');
  });
  await expect(rolledBack).rejects.toThrow('changed my mind');
  expect(await mailsTo(testApp, 'nobody@example.com')).toEqual([]);
});

test.each([
  ['smtp://me:pass%20word@mail.example.com:587', 'smtp://me:pass%20word@mail.example.com:587?requireTLS=true'],
  ['smtp://203.0.113.7?requireTLS=false&pool=true', 'smtp://203.0.113.7?requireTLS=true&pool=true'],
  ['smtp://me:password@10.0.0.5', 'smtp://me:password@10.0.0.5'],
  ['smtp://mail', 'smtp://mail'],
])('a server outside of private networks must encrypt: %s', (smtpUrl, required) => {
  expect(requireEncryption(smtpUrl)).toBe(required);
});

function sendBy(smtpUrl: string): Promise<boolean> {
  const ctx = { ...testApp.ctx, config: { ...testApp.ctx.config, smtpUrl } };
  return deliverMail(ctx, sealMail(ctx, orderTo('away@example.com'), LATER));
}

test('a server that does not encrypt gets neither the password nor the mail', async () => {
  let commands = 0;
  const count = (done: () => void) => {
    commands += 1;
    done();
  };
  const server = new SMTPServer({
    hideSTARTTLS: true,
    disabledCommands: ['STARTTLS'],
    authOptional: true,
    onAuth: (_auth, _session, done) => count(() => done(null, { user: 'me' })),
    onMailFrom: (_address, _session, done) => count(done),
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.server.address() as AddressInfo;
  await expect(sendBy(`smtp://me:password@127.0.0.1:${port}?requireTLS=true&ignoreTLS=true`)).rejects.toThrow(
    /STARTTLS|TLS/,
  );
  expect(commands).toBe(0);
  await new Promise<void>((resolve) => server.close(resolve));
});

test('a mail that the server did not accept is retried', async () => {
  const unlucky = await startTestApp({ mailSinkPort: 1 });
  await send(unlucky.ctx, orderTo('patient@example.com'));
  await runOnce({
    connectionString: unlucky.ctx.config.databaseUrl,
    taskList: jobHandlers(unlucky.ctx),
    noHandleSignals: true,
    logger: new Logger(() => () => {}),
  });
  const jobs = await unlucky.database.query<{ attempts: number; isLater: boolean }>(
    'select attempts, run_at > now() as "isLater" from graphile_worker.jobs',
  );
  expect(jobs).toEqual([{ attempts: 1, isLater: true }]);
  await unlucky.stop();
});
