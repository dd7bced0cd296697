import { text } from 'node:stream/consumers';
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadConfig } from '../process/config.ts';
import { sendTestMail } from '../mail/mailer.ts';
import { mailTest } from './mail-test.ts';

const server = new SMTPServer({
  authOptional: true,
  disabledCommands: ['STARTTLS'],
  onRcptTo: ({ address }, _session, done) =>
    done(address.startsWith('nobody') ? new Error('5.1.1 no such mailbox') : null),
  onData: (stream, _session, done) => void text(stream).finally(done),
});
beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
afterAll(() => new Promise<void>((resolve) => server.close(resolve)));

test('prints what the server answers, whether it takes the email or not', async () => {
  const config = loadConfig({
    DATABASE_URL: 'postgres://localhost/none',
    SECRET_KEY: 'x'.repeat(32),
    GATEWAY_TOKEN: 'x'.repeat(16),
    NODE_ENV: 'development',
    SMTP_URL: `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`,
  });
  expect(await sendTestMail(config, 'me@example.com')).toMatch(/^250 /);
  const { run } = mailTest.parse(['nobody@example.com']);
  await expect(run({ config } as never, undefined as never)).rejects.toThrow(
    /^The email was not sent: .*no such mailbox/,
  );
});

test.each([[[]], [['me']], [['me@example.com', 'you@example.com']]])('%j is refused', (values) => {
  expect(() => mailTest.parse(values)).toThrow('mail-test needs one email address');
});
