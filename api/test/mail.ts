import { mailboxSchema, type Mail } from '@cellhop/contract/development';
import { Logger, runOnce } from 'graphile-worker';
import assert from 'node:assert/strict';
import type { Config } from '../src/process/config.ts';
import { startMailSink } from '../src/dev/mail-sink.ts';
import { createLog } from '../src/process/log.ts';
import { jobHandlers } from '../src/jobs/job-handlers.ts';
import { startTestApp, type TestApp } from './test-app.ts';

const silent = new Logger(() => () => {});

/** The application with its own mail sink, to which it sends over SMTP. */
export async function startTestAppWithMail(overrides: Partial<Config> = {}): Promise<TestApp> {
  const sink = await startMailSink(0, createLog('mail sink', 'silent', false));
  assert(sink);
  const test = await startTestApp({ ...overrides, mailSinkPort: sink.port });
  return {
    ...test,
    stop: async () => {
      await test.stop();
      await sink.stop();
    },
  };
}

/** Runs the waiting jobs. */
export async function runJobs(test: TestApp): Promise<void> {
  await runOnce({
    connectionString: test.ctx.config.databaseUrl,
    // The job runner does not await the update of a finished job. With a single connection the query for the next job
    // runs after it.
    maxPoolSize: 1,
    taskList: jobHandlers(test.ctx),
    noHandleSignals: true,
    logger: silent,
  });
}

/** Runs the waiting jobs. @returns all mails to the address, the newest first */
export async function mailsTo(test: TestApp, address: string): Promise<Mail[]> {
  await runJobs(test);
  const response = await fetch(`${test.url}/dev/mailbox`, { headers: { accept: 'application/json' } });
  return mailboxSchema.parse(await response.json()).filter((mail) => mail.to === address);
}

/** @returns the one link of the newest mail to the address */
export async function newestLink(test: TestApp, address: string): Promise<URL> {
  const [mail] = await mailsTo(test, address);
  assert(mail, `no mail to ${address}`);
  assert.equal(mail.links.length, 1);
  return new URL(mail.links[0]!);
}

/** Presses the button of the page behind the link of a confirmation mail, as a browser without scripts does. */
export function pressConfirm(test: TestApp, link: URL, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(test.url + link.pathname, { method: 'POST', redirect: 'manual', headers, body: link.searchParams });
}
