import { recoverPassword } from '@cellhop/contract/auth';
import { toPath } from '@cellhop/contract/client';
import { connect } from '@cellhop/contract/connections';
import type { EndpointDefinition } from '@cellhop/contract/endpoint';
import { createInvoice } from '@cellhop/contract/invoices';
import { startView } from '@cellhop/contract/staff/view-as';
import { createTicket, sendTicketMessage } from '@cellhop/contract/tickets';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { endpoints, named } from '../../../test/endpoints.ts';
import { createProxy, createUser, PASSWORD } from '../../../test/factories.ts';
import { newestLink, startTestAppWithMail } from '../../../test/mail.ts';
import { newInvoice, pay } from '../../../test/sandbox-payments.ts';
import { activateSecondFactor } from '../../../test/second-factor.ts';
import type { TestApp } from '../../../test/test-app.ts';

const readByCustomers = endpoints.filter(({ method, access }) => method === 'GET' && access === 'user');
/** An existing id for each URL with one. Add it here for a new URL. */
const ids: Record<string, string> = {};
const queries: Record<string, string> = {
  '/v1/usage': '?from=2026-01-01T00:00:00.000Z&to=2026-01-02T00:00:00.000Z&step=hour&timeZone=UTC',
  '/v1/transactions/summary': '?from=2026-01-01T00:00:00.000Z&to=2026-02-01T00:00:00.000Z',
};
const secrets: Record<string, string> = {};

let testApp: TestApp;
let authorization: string;
beforeAll(async () => {
  testApp = await startTestAppWithMail();
  const user = await createUser(testApp, { balanceMicros: 5_000_000n });
  const { data: bought } = await user.call(connect, { body: { id: await createProxy(testApp), price: 0.8 } });
  const texts = { name: 'No traffic', description: 'Since this morning' };
  const { data: ticket } = await user.call(createTicket, { body: texts });
  await user.call(sendTicketMessage, { params: { id: ticket.id }, body: { content: 'It works again' } });
  await user.call(createInvoice, { body: { currency: 'USDT_TRC20', amount: 10 } });
  await pay(testApp, await newInvoice(user, 'LTC', 25));
  await testApp.call(recoverPassword, { body: { email: user.email } });
  const link = await newestLink(testApp, user.email);
  const { secret, recoveryCodes, spentCode } = await activateSecondFactor(testApp, user);
  const viewer = await createUser(testApp, { roleName: 'ADMIN' });
  const reason = 'they cannot find an invoice';
  const { data: view } = await viewer.call(startView, { params: { id: user.id }, body: { reason } });
  authorization = `Bearer ${view.accessToken}`;
  ids['/v1/proxies/connections/{id}'] = bought.id;
  ids['/v1/support/tickets/{id}'] = ticket.id;
  ids['/v1/payments/receipts/{number}'] = '1';
  const [row] = await testApp.database.query<{ passwordHash: string }>(
    'select password_hash as "passwordHash" from users where id = $1',
    [user.id],
  );
  Object.assign(secrets, {
    'password of the account': PASSWORD,
    'hash of the password': row!.passwordHash,
    'password of the proxy': bought.password,
    'secret of the authenticator app': secret,
    'code of the authenticator app': spentCode,
    'link of a mail': link.searchParams.get('code'),
    'access token of the user': user.token,
    'access token of the view': view.accessToken,
    'access token of the viewer': viewer.token,
  });
  recoveryCodes.forEach((code, index) => (secrets[`recovery code ${index + 1}`] = code));
});
afterAll(() => testApp.stop());

describe('staff who see the app as a user', () => {
  test('are tested on all endpoints that customers read', () => {
    expect(readByCustomers.length).toBeGreaterThan(15);
    expect(Object.values(secrets).filter((secret) => !secret)).toEqual([]);
  });

  test.each(named(readByCustomers))('get nothing secret from %s', async (_name, endpoint) => {
    const { status, text } = await read(endpoint);
    expect(status).toBe(endpoint.isExport ? 403 : 200);
    expect(Object.keys(secrets).filter((name) => text.includes(secrets[name]!))).toEqual([]);
    expect(secretFields(JSON.parse(text))).toEqual([]);
  });
});

async function read({ url }: EndpointDefinition) {
  const [, id = ''] = Object.entries(ids).find(([prefix]) => url.startsWith(prefix)) ?? [];
  // A 404 would prove nothing.
  expect(url.includes('{')).toBe(id !== '');
  const path = toPath(url, { id, number: id }) + (queries[url] ?? '');
  const response = await fetch(testApp.url + path, { headers: { authorization } });
  return { status: response.status, text: await response.text() };
}

/** Names of fields at any depth that look like a secret and have a text. */
function secretFields(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, field]) =>
    typeof field === 'string' && /password|secret|token|code$|codes$|uri$/i.test(name) && !openCodes.has(name)
      ? [name]
      : secretFields(field),
  );
}

/** Fields that look like a secret but give no access. */
const openCodes = new Set([
  'languageCode',
  'countryCode',
  'referralCode',
  'code',
  'secondFactor',
  'paymentUri',
  'walletUri',
]);
