import { signIn } from '@cellhop/contract/auth';
import { update } from '@cellhop/contract/gateway';
import { errorBodySchema } from '@cellhop/contract/schemas';
import { createTicket, listTickets } from '@cellhop/contract/tickets';
import { updateProfile } from '@cellhop/contract/users';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createUser, type TestUser } from '../../test/factories.ts';
import { openSocket, parseAnswer } from '../../test/raw-http.ts';
import { GATEWAY_TOKEN, startTestApp, type TestApp } from '../../test/test-app.ts';
import { createLog } from '../process/log.ts';

const logged: string[] = [];
let testApp: TestApp;
let user: TestUser;
beforeAll(async () => {
  testApp = await startTestApp({}, createLog('test', 'warn', false, { write: (line) => void logged.push(line) }));
  user = await createUser(testApp);
  await testApp.database.query("insert into gateway_nodes (name, token_hash) values ('node', sha256($1))", [
    Buffer.from(GATEWAY_TOKEN),
  ]);
  // A start without a built web app is logged.
  logged.length = 0;
});
afterAll(() => testApp.stop());

async function send(path: string, method: string, body: string, headers: Record<string, string> = {}) {
  const response = await fetch(testApp.url + path, {
    method,
    body,
    headers: { 'content-type': 'application/json', ...headers },
  });
  return { status: response.status, text: await response.text() };
}
const ofLength = (length: number) => `"${'x'.repeat(length - 2)}"`;

describe('the size of a body is limited per route', () => {
  test.each([
    ['a stranger', signIn.url, 'POST', 8 * 1024, () => ({})],
    ['a stranger where no body is expected', '/v1/auth/recovery-password/x/resend', 'POST', 1024, () => ({})],
    ['a user', createTicket.url, 'POST', 64 * 1024, () => user.headers],
    ['a gateway', update.url, 'POST', 1_000_000, () => ({ authorization: `Bearer ${GATEWAY_TOKEN}` })],
    ['nobody', '/v1/nothing', 'POST', 1024, () => ({})],
  ])('%s', async (_name, path, method, limit, headers) => {
    expect((await send(path, method, ofLength(limit), headers())).status).not.toBe(413);
    const answer = await send(path, method, ofLength(limit + 1), headers());
    expect([answer.status, errorBodySchema.parse(JSON.parse(answer.text)).code]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
  });

  test('a body with two enum values has a small limit', async () => {
    expect((await send(updateProfile.url, 'PATCH', ofLength(1000), user.headers)).status).toBe(400);
    expect((await send(updateProfile.url, 'PATCH', ofLength(2000), user.headers)).status).toBe(413);
  });

  test('also with chunked encoding', async () => {
    const socket = await openSocket(testApp.url);
    socket.write(`POST ${signIn.url} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n`);
    socket.write('Transfer-Encoding: chunked\r\n\r\n');
    for (let kibibytes = 0; kibibytes < 9; kibibytes++) socket.write(`400\r\n${'x'.repeat(1024)}\r\n`);
    let text = '';
    for await (const piece of socket.setEncoding('latin1')) text += piece as string;
    expect(parseAnswer(text).status).toBe(413);
  });
});

test('a body sent byte by byte with multi-byte characters is parsed correctly', async () => {
  const body = JSON.stringify({ name: 'Ключ \u{1f511}', description: 'Where is it?' });
  const padded = Buffer.from(' '.repeat(3000) + body);
  const socket = await openSocket(testApp.url);
  socket.write(
    `POST ${createTicket.url} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nConnection: close\r\n`,
  );
  socket.write(`Authorization: ${user.headers.authorization}\r\n`);
  socket.write('Transfer-Encoding: chunked\r\n\r\n');
  socket.write(Buffer.concat([...padded].map((byte) => Buffer.from([0x31, 13, 10, byte, 13, 10]))));
  socket.write('0\r\n\r\n');
  let text = '';
  for await (const piece of socket.setEncoding('latin1')) text += piece as string;
  expect(parseAnswer(text).status).toBe(201);
  expect((await user.call(listTickets, { query: {} })).data[0]!.name).toBe('Ключ \u{1f511}');
});

test('other content types are refused', async () => {
  expect((await send(signIn.url, 'POST', 'text', { 'content-type': 'text/plain' })).status).toBe(415);
});

async function leave(bytes: string): Promise<void> {
  const socket = await openSocket(testApp.url);
  const arrived = once(testApp.app.server, 'request');
  socket.write(bytes);
  const [{ socket: served }] = (await arrived) as [IncomingMessage];
  const left = new Promise((resolve) => served.once('close', resolve));
  socket.resetAndDestroy();
  await left;
}
const headOf = (path: string, method: string, authorization: string) =>
  `${method} ${path} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nAuthorization: ${authorization}\r\n`;
const requestCount = () => testApp.app.listeners.sockets['public']!.requestCount;

describe('an incomplete body causes no server error and no leak', () => {
  test('when the connection breaks', async () => {
    await leave(`${headOf(signIn.url, 'POST', 'none')}Content-Length: 100\r\n\r\n{`);
    await expect.poll(requestCount).toBe(0);
    expect(logged).toEqual([]);
  });

  test('when the client disconnects during authentication', async () => {
    const text = JSON.stringify({ description: 'x'.repeat(50_000) });
    await testApp.ctx.tx(async (ctx) => {
      await ctx.db.query('lock table users in access exclusive mode');
      const head = headOf(createTicket.url, 'POST', user.headers.authorization);
      await leave(`${head}Content-Length: ${text.length}\r\n\r\n${text}`);
      await leave(`${head}Content-Length: 10\r\n\r\n{"all": 1}`);
    });
    await expect.poll(requestCount).toBe(0);
    expect(logged).toEqual([]);
  });
});

test.each([
  ['80 unknown fields', createTicket.url, Object.fromEntries(Array.from({ length: 80 }, (_, at) => [`f${at}`, 1]))],
  ['5,000 wrong reports', update.url, { runId: randomUUID(), usages: Array.from({ length: 5000 }, () => 'wrong') }],
])('the errors of %s are limited', async (_name, path, wrong) => {
  const user = await createUser(testApp);
  const headers = path === update.url ? { authorization: `Bearer ${GATEWAY_TOKEN}` } : user.headers;
  const answer = await send(path, 'POST', JSON.stringify(wrong), headers);
  expect(answer.status).toBe(400);
  expect(answer.text.length).toBeLessThan(5000);
  expect(errorBodySchema.parse(JSON.parse(answer.text)).details).toHaveLength(20);
});

test.each([
  ['unknown fields', (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`f${at}`, 1]))],
  ['values of a list', (count: number) => ({ name: 'x', description: Array.from({ length: count }, () => 1) })],
])('thousands of %s are counted but not parsed', async (_name, make) => {
  const answer = await send(createTicket.url, 'POST', JSON.stringify(make(6000)), user.headers);
  expect(answer.status).toBe(400);
  expect(errorBodySchema.parse(JSON.parse(answer.text)).details).toEqual([
    { path: 'body', message: 'contains more values than this endpoint accepts' },
  ]);
});

test('a string may contain any number of commas and brackets', async () => {
  const body = JSON.stringify({ name: 'Numbers', description: '\\",[{'.repeat(200) });
  expect((await send(createTicket.url, 'POST', body, user.headers)).status).toBe(201);
});

test('a very long field name is truncated in the error', async () => {
  const answer = await send(signIn.url, 'POST', JSON.stringify({ ['x'.repeat(8000)]: 1 }));
  expect(answer.status).toBe(400);
  expect(answer.text.length).toBeLessThan(2000);
});
