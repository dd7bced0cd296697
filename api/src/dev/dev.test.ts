import { createTransport } from 'nodemailer';
import { get } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../test/test-app.ts';
import { createLog } from '../process/log.ts';
import { startMailSink, type MailSink, listMails } from './mail-sink.ts';

const log = createLog('mail sink', 'silent', false);

let testApp: TestApp;
let sink: MailSink;
beforeAll(async () => {
  sink = (await startMailSink(0, log))!;
  testApp = await startTestApp({ mailSinkPort: sink.port });
});
afterAll(async () => {
  await testApp.stop();
  await sink.stop();
});

async function send(mail: { to: string; subject: string; text?: string; html?: string }): Promise<void> {
  const transport = createTransport({ host: '127.0.0.1', port: sink.port, ignoreTLS: true });
  await transport.sendMail({ from: 'shop@example.com', ...mail });
  transport.close();
}

describe('the mailbox', () => {
  test('lists mails as JSON, newest first, with each link once', async () => {
    await send({
      to: 'a@example.com',
      subject: 'First',
      text: 'See http://x.example/?a=1&b=2 and <http://y.example/>',
    });
    await send({
      to: 'b@example.com',
      subject: 'Второе',
      text: 'http://x.example/?a=1&b=2',
      html: '<a href="http://x.example/?a=1&amp;b=2">x</a>',
    });
    const response = await fetch(`${testApp.url}/dev/mailbox`, { headers: { accept: 'application/json' } });
    expect(response.headers.get('cache-control')).toBe('no-store');
    const [second, first] = (await response.json()) as unknown[];
    expect(second).toMatchObject({ to: 'b@example.com', subject: 'Второе', links: ['http://x.example/?a=1&b=2'] });
    expect(first).toMatchObject({ subject: 'First', links: ['http://x.example/?a=1&b=2', 'http://y.example/'] });
  });

  test('is a page whose mails cannot run scripts or access it', async () => {
    await send({ to: 'c@example.com', subject: '<script>1</script>', html: '"><script>alert(2)</script>' });
    const response = await fetch(`${testApp.url}/dev/mailbox`, { headers: { accept: 'text/html' } });
    const page = await response.text();
    expect(response.headers.get('content-type')).toContain('text/html');
    expect(response.headers.get('content-security-policy')).toContain("script-src 'self'");
    expect(page).not.toContain('<script');
    expect(page).toContain('sandbox="allow-popups allow-popups-to-escape-sandbox"');
    expect(page).toContain('&#60;script&#62;1&#60;/script&#62;');
  });

  test('keeps the newest 200', { tags: ['thorough'] }, async () => {
    const transport = createTransport({ host: '127.0.0.1', port: sink.port, ignoreTLS: true, pool: true });
    await Promise.all(
      Array.from({ length: 205 }, () =>
        transport.sendMail({ from: 'shop@example.com', to: 'd@example.com', subject: 'Again', text: 'x' }),
      ),
    );
    transport.close();
    expect(listMails()).toHaveLength(200);
  });

  test('does not start if the port is in use', async () => {
    expect(await startMailSink(sink.port, log)).toBeUndefined();
  });
});

describe('the download', () => {
  test.each([1, 3])('of %i MB has exactly that many bytes', async (megabytes) => {
    const response = await fetch(`${testApp.url}/dev/download/${megabytes}`);
    expect(response.headers.get('content-type')).toBe('application/octet-stream');
    expect(response.headers.get('content-length')).toBe(String(megabytes * 1_048_576));
    expect((await response.arrayBuffer()).byteLength).toBe(megabytes * 1_048_576);
  });

  test('applies back pressure for a slow client', async () => {
    const before = process.memoryUsage().rss;
    await new Promise<void>((resolve, reject) => {
      const request = get(`${testApp.url}/dev/download/1024`, (response) => {
        // Reads once, then stops, so the kernel's buffers fill up and the server has to wait.
        response.once('readable', () => {
          response.read();
          setTimeout(() => {
            request.destroy();
            resolve();
          }, 200);
        });
      });
      request.once('error', reject);
    });
    expect(process.memoryUsage().rss - before).toBeLessThan(200_000_000);
  });

  test.each(['0', '-1', '1025', '1.5', 'x', '1e9'])('of %s MB is refused', async (megabytes) => {
    const response = await fetch(`${testApp.url}/dev/download/${megabytes}`);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ code: 'VALIDATION', details: [{ path: 'path.megabytes' }] });
  });
});

test('in production neither exists', async () => {
  const production = await startTestApp({ isDevelopment: false, smtpUrl: 'smtp://127.0.0.1:1' });
  for (const path of ['/dev/mailbox', '/dev/download/1']) {
    const response = await fetch(`${production.url}${path}`);
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ code: 'NOT_FOUND' });
  }
  await production.stop();
});
