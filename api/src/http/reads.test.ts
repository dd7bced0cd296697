/** @module-tag thorough */
import { UNSUBSCRIBE_PATH } from '@cellhop/contract/alerts';
import { CONFIRM_EMAIL_PATH } from '@cellhop/contract/auth';
import { connect } from '@cellhop/contract/connections';
import type { EndpointDefinition } from '@cellhop/contract/endpoint';
import { createInvoice } from '@cellhop/contract/invoices';
import { LIVE_EVENTS_PATH } from '@cellhop/contract/live.values';
import { getProxyFacets, getProxyFilter } from '@cellhop/contract/proxies';
import { getReceiptKey } from '@cellhop/contract/receipts';
import { readSelection, restoreProxies } from '@cellhop/contract/staff/inventory';
import { uploadTicketFile } from '@cellhop/contract/ticket-files';
import { createTicket, sendTicketMessage } from '@cellhop/contract/tickets';
import { toPath } from '@cellhop/contract/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { endpoints, named } from '../../test/endpoints.ts';
import { createProxy, createUser, type TestUser } from '../../test/factories.ts';
import { newInvoice, pay } from '../../test/sandbox-payments.ts';
import { startSecondApp, startTestApp, type TestApp } from '../../test/test-app.ts';
import { registerNode } from '../modules/gateway/gateway.service.ts';

/** Who has read them is in the audit log. */
const RECORDED = new Set([
  'GET /v1/proxies/admin/export',
  'GET /v1/users/admin/export',
  'GET /v1/payments/admin/invoices/export',
  'GET /v1/proxies/connections/admin/export',
  'GET /v1/transactions/admin/margins/export',
]);

let testApp: TestApp;
/** A process whose connections to the same database only read. */
let reading: TestApp;
let actors: Record<'customer' | 'administrator', TestUser>;
let ids: string[];
/** In the ticket of the customer. */
let fileId: string;

beforeAll(async () => {
  testApp = await startTestApp();
  await registerNode(testApp.ctx);
  const customer = await createUser(testApp, { balanceMicros: 5_000_000n });
  const administrator = await createUser(testApp, { roleName: 'ADMIN', balanceMicros: 5_000_000n });
  actors = { customer, administrator };
  ids = [customer.id];
  for (const { call } of Object.values(actors)) {
    const { data: connection } = await call(connect, { body: { id: await createProxy(testApp), price: 0.8 } });
    const { data: ticket } = await call(createTicket, {
      body: { name: 'A question', description: 'How does it work?' },
    });
    const { data: invoice } = await call(createInvoice, { body: { amount: 20, currency: 'BTC' } });
    ids.push(connection.id, ticket.id, invoice.id);
  }
  const { data: ticket } = await customer.call(createTicket, { body: { name: 'A picture', description: 'Below' } });
  const text = { file: { type: 'text/plain', content: 'What I see' } };
  const uploaded = await customer.call(uploadTicketFile, { params: { id: ticket.id }, query: { name: 'a.txt' } }, text);
  const body = { content: 'Here it is', fileIds: [uploaded.data.id] };
  await customer.call(sendTicketMessage, { params: { id: ticket.id }, body });
  fileId = uploaded.data.id;
  await pay(testApp, await newInvoice(customer, 'LTC', 25));
  ids.push(ticket.id);
  const { call } = administrator;
  const { data: selection } = await call(readSelection, { query: {} });
  const seen = { count: selection.count, fingerprint: selection.fingerprint };
  ids.push((await call(restoreProxies, { body: { filter: {}, ...seen } })).data.id);
  // A read may fill a cache, which is empty while nothing is for sale.
  await createProxy(testApp);
  for (const endpoint of [getProxyFilter, getProxyFacets, getReceiptKey] as const) await call(endpoint, { query: {} });
  const [exit] = await testApp.database.query<{ id: string; nodeId: string }>(
    'select id, node_id as "nodeId" from exits limit 1',
  );
  ids.push(exit!.id, exit!.nodeId);
  const [row] = await testApp.database.query<{ name: string }>('select current_database() as name');
  await testApp.database.query(`alter database "${row!.name}" set default_transaction_read_only = on`);
  reading = await startSecondApp(testApp);
});
afterAll(async () => {
  await reading.stop();
  await testApp.stop();
});

const values = () => ({
  from: '2026-01-01T00:00:00Z',
  to: '2026-01-02T00:00:00Z',
  timeZone: 'UTC',
  userId: actors.customer.id,
  text: 'example',
  nonce: 'n',
  month: '2026-01',
  languageCode: 'en',
});

/** With all parameters that it may need. */
function addressesOf({ url, query }: EndpointDefinition): string[] {
  const known = Object.entries(values()).filter(([name]) => query !== undefined && name in query.shape);
  const search = known.length > 0 ? `?${new URLSearchParams(known)}` : '';
  const paths = url.includes('{')
    ? ids.map((id) => toPath(url, { id, fileId, sessionId: id, document: 'terms', number: '1' }))
    : [url];
  return paths.map((path) => path + search);
}

/** A link is all that many programs can call: the one GET that changes something (secret-links.test.ts has what does not). */
const CHANGING = 'GET /v1/rotate/{secret}';
const reads = endpoints.filter(
  ({ method, access, url }) => method === 'GET' && access !== 'gateway' && `${method} ${url}` !== CHANGING,
);

test.each(named(reads))('%s changes nothing', async (name, endpoint) => {
  const statuses = new Set<number>();
  for (const { headers } of Object.values(actors))
    for (const address of addressesOf(endpoint)) {
      const response = await fetch(reading.url + address, { headers });
      await response.text();
      statuses.add(response.status);
    }
  expect([...statuses].filter((status) => status >= 500)).toEqual(RECORDED.has(name) ? [503] : []);
  // Otherwise the parameters were wrong, and the test has shown nothing.
  expect(statuses.has(200) || RECORDED.has(name)).toBe(true);
});

test.each([
  CONFIRM_EMAIL_PATH + '?code=x',
  UNSUBSCRIBE_PATH + '?code=x',
  '/health/ready',
  '/metrics',
  '/',
  LIVE_EVENTS_PATH,
])('GET %s changes nothing', async (path) => {
  const controller = new AbortController();
  const { status } = await fetch(reading.url + path, {
    headers: actors.customer.headers,
    signal: controller.signal,
  });
  controller.abort();
  expect(status).toBeLessThan(500);
});

test('a request that changes something fails there', async () => {
  const response = await fetch(reading.url + createTicket.url, {
    method: 'POST',
    headers: { ...actors.customer.headers, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'A question', description: 'How does it work?' }),
  });
  expect(response.status).toBe(503);
});
