import { connect } from '@cellhop/contract/connections';
import type { EndpointDefinition } from '@cellhop/contract/endpoint';
import { createInvoice } from '@cellhop/contract/invoices';
import { exportAllConnections } from '@cellhop/contract/staff/connections';
import { exportInvoices } from '@cellhop/contract/staff/invoices';
import { exportUsers } from '@cellhop/contract/staff/users';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createProxy, createUser, type TestUser } from '../../../test/factories.ts';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { registerNode } from '../gateway/gateway.service.ts';
import { exportList } from './export.service.ts';

let testApp: TestApp;
let admin: TestUser;
beforeAll(async () => {
  testApp = await startTestApp();
  await registerNode(testApp.ctx);
  admin = await createUser(testApp, { roleName: 'ADMIN' });
});
afterAll(() => testApp.stop());

async function read(endpoint: EndpointDefinition, query = '', reader = admin) {
  const response = await fetch(`${testApp.url}${endpoint.url}${query}`, { headers: reader.headers });
  return { response, text: await response.text() };
}
const linesOf = (text: string) => text.split('\r\n').slice(0, -1);
const entries = (action: string) =>
  testApp.database.query<{ actorId: string; details: Record<string, unknown> }>(
    'select actor_id as "actorId", details from audit_log where action = $1 order by id',
    [action],
  );

test('users are exported with the filter of the list, newest first, and the export is recorded', async () => {
  const users = [
    await createUser(testApp, { email: 'exported-one@example.com', balanceMicros: 1_500_000n }),
    await createUser(testApp, { email: 'exported-two@example.com' }),
  ];
  const { response, text } = await read(exportUsers, '?email=exported-');
  expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8');
  expect(response.headers.get('content-disposition')).toBe('attachment; filename="users.csv"');
  const lines = linesOf(text);
  expect(lines[0]).toBe(
    'id,email,isConfirmedEmail,status,balance,referralLevel,role,languageCode,referralCode,createdAt',
  );
  expect(lines[1]).toContain(`${users[1]!.id},exported-two@example.com,true,ACTIVE,0,BASIC,USER,en,`);
  expect(lines[2]).toContain(`${users[0]!.id},exported-one@example.com,true,ACTIVE,1.5,`);
  expect(lines).toHaveLength(3);
  expect(await entries('USERS_EXPORTED')).toEqual([
    { actorId: admin.id, details: { rows: 2, filter: JSON.stringify({ email: 'exported-' }) } },
  ]);
});

test('batches have no gap and no repetition, also among rows of the same moment', async () => {
  // More than a batch: inserted by one statement, so their time is the same.
  await testApp.database.query(
    `with opened as (insert into accounts (kind) select 'USER' from generate_series(1, 1203) returning id)
     insert into users (email, password_hash, language_code, role_name, referral_code, account_id)
     select 'batch' || id || '@example.com', 'x', 'en', 'USER', 'BATCH' || id, id from opened`,
  );
  const ids = linesOf((await read(exportUsers, '?email=batch')).text)
    .slice(1)
    .map((line) => line.split(',')[0]);
  expect(ids).toHaveLength(1203);
  expect(new Set(ids).size).toBe(1203);
});

test('connections and invoices are exported; no cell is a formula, and no password leaves', async () => {
  const user = await createUser(testApp, { email: '=cmd@example.com', balanceMicros: 5_000_000n });
  const { data: connection } = await user.call(connect, {
    body: { id: await createProxy(testApp, { city: '=HYPERLINK("x")' }), price: 0.8 },
  });
  const { data: invoice } = await user.call(createInvoice, { body: { amount: 20, currency: 'BTC' } });
  const connections = await read(exportAllConnections, `?userId=${user.id}`);
  expect(linesOf(connections.text)).toHaveLength(2);
  expect(connections.text).toContain(`${connection.id},${user.id},'=cmd@example.com,${connection.ip},`);
  expect(connections.text).toContain(`"'=HYPERLINK(""x"")"`);
  expect(connections.text).not.toContain(connection.password);
  const invoices = await read(exportInvoices, `?userId=${user.id}`);
  expect(linesOf(invoices.text)).toHaveLength(2);
  expect(invoices.text).toContain(`${invoice.id},${user.id},'=cmd@example.com,20,`);
  for (const action of ['CONNECTIONS_EXPORTED', 'INVOICES_EXPORTED']) expect(await entries(action)).toHaveLength(1);
});

test('more rows than the limit are refused before anything is recorded', async () => {
  const { headers: _headers, id: userId, accountId } = admin;
  const actor = { userId, accountId } as Parameters<typeof exportList>[1]['actor'];
  const requester = { ip: '127.0.0.1', userAgent: undefined, requestId: 'x' };
  const exported = {
    action: 'USERS_EXPORTED',
    subjectType: 'USER',
    fileName: 'users.csv',
    filter: {},
    count: async (limit: number) => limit,
    list: async () => [],
    columns: {},
  } as const;
  const before = await entries('USERS_EXPORTED');
  await expect(exportList(testApp.ctx, { actor, requester }, exported)).rejects.toMatchObject({ code: 'VALIDATION' });
  expect(await entries('USERS_EXPORTED')).toEqual(before);
});

test('each export needs the permission of its list', async () => {
  await testApp.database.query(`insert into roles (name, permissions) values ('NOBODY', '{FAQ_READ}')`);
  const nobody = await createUser(testApp, { roleName: 'NOBODY' });
  for (const endpoint of [exportUsers, exportInvoices, exportAllConnections])
    expect((await read(endpoint, '', nobody)).response.status).toBe(403);
});
