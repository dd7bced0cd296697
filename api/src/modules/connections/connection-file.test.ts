/** The open connections of a customer as a file for other programs. */
import { proxyUrls } from '@cellhop/contract/access-strings';
import { changeConnection, connect, disconnect, exportConnections } from '@cellhop/contract/connections';
import type { ConnectionFileFormat } from '@cellhop/contract/connections.values';
import { startView } from '@cellhop/contract/staff/view-as';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createProxy, createUser, type TestUser } from '../../../test/factories.ts';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { registerNode } from '../gateway/gateway.service.ts';

let testApp: TestApp;
beforeAll(async () => {
  testApp = await startTestApp();
  await registerNode(testApp.ctx);
});
afterAll(() => testApp.stop());

async function buy(user: TestUser) {
  return (await user.call(connect, { body: { id: await createProxy(testApp), price: 0.8 } })).data;
}

const read = (user: TestUser, format?: ConnectionFileFormat) => user.call(exportConnections, { query: { format } });

/** A customer with three open connections, the newest first, and one that has ended. */
async function openFour() {
  const user = await createUser(testApp, { balanceMicros: 10_000_000n });
  const bought = [await buy(user), await buy(user), await buy(user)].toReversed();
  const ended = await buy(user);
  await user.call(disconnect, { params: { id: ended.id } });
  return { user, bought };
}

test('as text it has a line for each open connection, the newest first', async () => {
  const { user, bought } = await openFour();
  const lines = bought.map(({ host, port, username, password }) => `${host}:${port}:${username}:${password}\n`);
  expect(await read(user, 'txt')).toBe(lines.join(''));
  expect(await read(user)).toBe(lines.join(''));
  const response = await fetch(`${testApp.url}${exportConnections.url}`, { headers: user.headers });
  await response.text();
  expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8');
  expect(response.headers.get('content-disposition')).toBe('attachment; filename="proxies.txt"');
  expect(response.headers.get('cache-control')).toBe('no-store');
});

test('as CSV a label can neither break a row nor become a formula', async () => {
  const { user, bought } = await openFour();
  await user.call(changeConnection, { params: { id: bought[0]!.id }, body: { label: '=1+1,"x"' } });
  const { ip, host, port, username, password, countryCode, city, zip, isp } = bought[0]!;
  const lines = (await read(user, 'csv')).split('\r\n');
  expect(lines).toHaveLength(1 + 3 + 1);
  expect(lines.slice(0, 2)).toEqual([
    'label,ip,host,port,username,password,countryCode,city,zip,isp',
    `"'=1+1,""x""",${[ip, host, port, username, password, countryCode, city, zip, isp].join(',')}`,
  ]);
});

test('as JSON it is a list with the URLs', async () => {
  const { user, bought } = await openFour();
  const [{ ip, host, port, username, password }] = bought as [(typeof bought)[0]];
  const list = JSON.parse(await read(user, 'json')) as object[];
  expect(list).toHaveLength(3);
  expect(list[0]).toMatchObject({
    ip,
    port,
    urls: proxyUrls({ host, port, username, password: password! }),
  });
  expect(JSON.parse(await read(await createUser(testApp), 'json'))).toEqual([]);
});

test('has those of the user alone, and none for staff who see the app as the user', async () => {
  const { user } = await openFour();
  expect(await read(await createUser(testApp), 'txt')).toBe('');
  const admin = await createUser(testApp, { roleName: 'ADMIN' });
  const { data: view } = await admin.call(startView, { params: { id: user.id }, body: { reason: 'a question' } });
  const headers = { authorization: `Bearer ${view.accessToken}` };
  expect((await fetch(`${testApp.url}${exportConnections.url}`, { headers })).status).toBe(403);
});

test('leaves out a connection whose password no key decrypts, and refuses another format', async () => {
  const { user, bought } = await openFour();
  await testApp.database.query(`update connections set password_encrypted = '\\x00' where id = $1`, [bought[0]!.id]);
  expect((await read(user, 'txt')).split('\n')).toHaveLength(2 + 1);
  const response = await fetch(`${testApp.url}${exportConnections.url}?format=xml`, { headers: user.headers });
  expect(response.status).toBe(400);
});
