import type { NodeCertificate } from '@cellhop/contract/certificates';
import { hello } from '@cellhop/contract/gateway';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createUser, type TestUser } from '../../../test/factories.ts';
import { mailsTo, startTestAppWithMail } from '../../../test/mail.ts';
import type { TestApp } from '../../../test/test-app.ts';
import { createTestClient } from '../../../test/test-client.ts';
import { warnOfCertificates } from './certificates.service.ts';
import { addNode } from './gateway.service.ts';

let testApp: TestApp;
let admin: TestUser;
beforeAll(async () => {
  testApp = await startTestAppWithMail();
});
beforeEach(async () => {
  await testApp.reset();
  admin = await createUser(testApp, { roleName: 'ADMIN' });
});
afterAll(() => testApp.stop());

const DAY_MS = 24 * 60 * 60 * 1000;
/** The end is always the same, so that two nodes can have one certificate. */
const now = Date.now();
const endIn = (days: number) => new Date(now + days * DAY_MS).toISOString();
/** Of a certificate that is issued for 90 days. */
const endingIn = (days: number) => ({ startsAt: endIn(days - 90), endsAt: endIn(days) });

/** A gateway that reports certificates. */
async function createReportingNode(name: string) {
  const token = await addNode(testApp.ctx, name);
  const call = createTestClient({ baseUrl: testApp.url, headers: () => ({ authorization: `Bearer ${token}` }) });
  const runId = randomUUID();
  return async (certificate: NodeCertificate | undefined) => {
    const status = { softwareVersion: '0.5.0', tunnels: 0, bytesPerSecond: 0, ...(certificate && { certificate }) };
    await call(hello, { body: { contractVersion: 3, runId, status } });
  };
}

/** @returns the subjects of the mails until now, the newest first */
async function warn({ email } = admin): Promise<string[]> {
  // Each hour.
  for (let hour = 0; hour < 3; hour += 1) await warnOfCertificates(testApp.ctx);
  return (await mailsTo(testApp, email)).map(({ subject }) => subject);
}

const soon = expect.stringMatching(/^The TLS certificate of a .* gateway ends soon$/) as string;
const expired = expect.stringMatching(/^The TLS certificate of a .* gateway has expired$/) as string;
const names = ['proxy.example.com'];

test('staff get one mail when a certificate ends within two weeks, and one when it has expired', async () => {
  const report = await createReportingNode('vienna');
  await report({ names, ...endingIn(15) });
  expect(await warn()).toEqual([]);
  await report({ names, ...endingIn(13) });
  expect(await warn()).toEqual([soon]);
  // Renewed, and once more nearly at its end.
  await report({ names, ...endingIn(90) });
  expect(await warn()).toEqual([soon]);
  await report({ names, ...endingIn(12) });
  expect(await warn()).toEqual([soon, soon]);
  await report({ names, ...endingIn(-1) });
  expect(await warn()).toEqual([expired, soon, soon]);
  await report(undefined);
  expect(await warn()).toHaveLength(3);
});

test('a certificate of six days is a reason one and a half days before its end, because it is renewed until then', async () => {
  const report = await createReportingNode('vienna');
  await report({ names, startsAt: endIn(-4.4), endsAt: endIn(1.6) });
  expect(await warn()).toEqual([]);
  await report({ names, startsAt: endIn(-4.6), endsAt: endIn(1.4) });
  expect(await warn()).toEqual([soon]);
  await report({ names, startsAt: endIn(-75), endsAt: endIn(15) });
  expect(await warn()).toEqual([soon]);
  await report({ names, startsAt: endIn(-77), endsAt: endIn(13) });
  expect(await warn()).toEqual([soon, soon]);
});

test('a certificate of several gateways is one mail, in the language of each reader who may see the system', async () => {
  const russian = await createUser(testApp, { roleName: 'ADMIN', languageCode: 'ru' });
  const customer = await createUser(testApp);
  for (const name of ['vienna', 'berlin']) await (await createReportingNode(name))({ names, ...endingIn(13) });
  expect(await warn()).toEqual([soon]);
  expect(await warn(russian)).toEqual([expect.stringMatching(/^TLS-сертификат шлюза .* скоро истекает$/)]);
  expect(await warn(customer)).toEqual([]);
  await (
    await createReportingNode('oslo')
  )({ names: ['oslo.example.com'], ...endingIn(13) });
  expect(await warn()).toEqual([soon, soon]);
});

test('a gateway that was taken down is no reason', async () => {
  await (
    await createReportingNode('vienna')
  )({ names, ...endingIn(-1) });
  await testApp.database.query("update gateway_runs set seen_at = now() - interval '25 hours'");
  expect(await warn()).toEqual([]);
});
