/** @module-tag thorough */
import { logout, signIn } from '@cellhop/contract/auth';
import { update } from '@cellhop/contract/gateway';
import { LIVE_EVENTS_PATH } from '@cellhop/contract/live.values';
import { getSettings } from '@cellhop/contract/settings';
import { getProfile } from '@cellhop/contract/users';
import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, test } from 'vitest';
import { createUser, PASSWORD } from '../../test/factories.ts';
import { errorOf, exchangeBytes, openSocket, whenClosed } from '../../test/raw-http.ts';
import { createLog } from '../process/log.ts';
import { GATEWAY_TOKEN, startSecondApp, startTestApp, type TestApp } from '../../test/test-app.ts';

const started: TestApp[] = [];
afterEach(async () => {
  for (const app of started.toReversed()) await app.stop();
  started.length = 0;
});
async function start(...given: Parameters<typeof startTestApp>): Promise<TestApp> {
  const testApp = await startTestApp(...given);
  started.push(testApp);
  return testApp;
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
async function statusOf(testApp: TestApp, path: string, headers: Record<string, string> = {}): Promise<number> {
  const response = await fetch(testApp.url + path, { headers });
  await response.arrayBuffer();
  return response.status;
}
async function statuses(count: number, ask: () => Promise<number>): Promise<Record<number, number>> {
  const counts: Record<number, number> = {};
  for (let time = 0; time < count; time++) {
    const status = await ask();
    counts[status] = (counts[status] ?? 0) + 1;
  }
  return counts;
}
async function report(testApp: TestApp, token: string, path: string = update.url): Promise<number> {
  const response = await fetch(testApp.url + path, {
    method: 'POST',
    headers: { ...bearer(token), 'content-type': 'application/json' },
    body: JSON.stringify({ runId: randomUUID(), usages: [] }),
  });
  await response.arrayBuffer();
  return response.status;
}
async function addNode({ database }: TestApp): Promise<void> {
  await database.query("insert into gateway_nodes (name, token_hash) values ('node', sha256($1))", [
    Buffer.from(GATEWAY_TOKEN),
  ]);
}

describe('the rate limit', () => {
  test('is checked before the token', async () => {
    const testApp = await start({ requestsPerMinute: 3 });
    const guess = () => statusOf(testApp, getProfile.url, bearer('wrong'));
    expect(await statuses(30, guess)).toEqual({ 401: 3, 429: 27 });
  });

  test('counts all addresses of an IPv6 network together, and those of others separately', async () => {
    const testApp = await start({ requestsPerMinute: 3 });
    let host = 0;
    const from = (network: string) => () =>
      statusOf(testApp, getSettings.url, { 'x-forwarded-for': `${network}::${(++host).toString(16)}` });
    expect(await statuses(10, from('2001:db8:1:1'))).toEqual({ 200: 3, 429: 7 });
    expect(await statuses(3, from('2001:db8:1:2'))).toEqual({ 200: 3 });
  });

  test('lets a /56 cause twice as much as a /64, and a /48 four times as much', async () => {
    const testApp = await start({ requestsPerMinute: 3 });
    const from = (network: number) =>
      statusOf(testApp, getSettings.url, { 'x-forwarded-for': `2001:db8:1:${network.toString(16)}::1` });
    let network = 0;
    expect(await statuses(20, () => from(network++))).toEqual({ 200: 6, 429: 14 });
    // The refused ones above do not count for the /48.
    network = 0x100;
    expect(await statuses(20, () => from((network += 0x40)))).toEqual({ 200: 6, 429: 14 });
    expect(await statusOf(testApp, getSettings.url, { 'x-forwarded-for': '2001:db8:2::1' })).toBe(200);
  });

  test('counts a client in all notations of a trusted proxy, and those without an address not together', async () => {
    const logged: string[] = [];
    const log = createLog('test', 'warn', false, { write: (line) => void logged.push(line) });
    const testApp = await start({ requestsPerMinute: 3 }, log);
    const from = (address: string) => statusOf(testApp, getSettings.url, { 'x-forwarded-for': address });
    const notations = ['203.0.113.7:4711', '"203.0.113.7"', '203.000.113.007', '203.0.113.7:4712', '203.0.113.7'];
    expect(await Promise.all(notations.slice(0, 3).map(from))).toEqual([200, 200, 200]);
    expect(await Promise.all(notations.map(from))).toEqual([429, 429, 429, 429, 429]);
    expect(logged).toEqual([]);
    expect(await statuses(10, () => from('unknown'))).toEqual({ 200: 10 });
    expect(await from('203.0.113.8, unknown')).toBe(200);
    expect(logged.map((line) => JSON.parse(line) as object)).toMatchObject([
      { proxy: '127.0.0.1', forwardedFor: 'unknown' },
    ]);
  });

  test('of users does not affect gateways, nor the other way round, in any notation of the path', async () => {
    const testApp = await start({ requestsPerMinute: 3, nodeRequestsPerMinute: 5 });
    await addNode(testApp);
    expect(await statuses(4, () => statusOf(testApp, getSettings.url))).toEqual({ 200: 3, 429: 1 });
    expect(await statuses(3, () => report(testApp, GATEWAY_TOKEN))).toEqual({ 200: 3 });
    const encoded = update.url.replace('/i', '/%69');
    expect(await statuses(3, () => report(testApp, GATEWAY_TOKEN, encoded))).toEqual({ 200: 2, 429: 1 });
  });

  test('does not apply to health probes', async () => {
    const testApp = await start({ requestsPerMinute: 1 });
    expect(await statuses(5, () => statusOf(testApp, '/health/live'))).toEqual({ 200: 5 });
  });
});

describe('invalid tokens', () => {
  test('are counted over all processes, and the network is refused afterwards', async () => {
    const testApp = await start({ wrongTokensPerMinute: 4 });
    const second = await startSecondApp(testApp);
    started.push(second);
    const guess = (process: TestApp) => () => statusOf(process, getProfile.url, bearer(randomUUID()));
    expect(await statuses(3, guess(testApp))).toEqual({ 401: 3 });
    expect(await statuses(3, guess(second))).toEqual({ 401: 1, 429: 2 });
    const response = await fetch(testApp.url + getProfile.url, { headers: bearer('wrong') });
    expect(response.status).toBe(429);
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  test('are counted for the /64, the /56 and the /48 of a client', async () => {
    const testApp = await start({ wrongTokensPerMinute: 2 });
    let network = 0;
    const guess = async () =>
      statusOf(testApp, getProfile.url, {
        ...bearer(randomUUID()),
        'x-forwarded-for': `2001:db8:1:${(network += 0x40).toString(16)}::1`,
      });
    // Four of each /56, and eight of the /48.
    expect(await statuses(20, guess)).toEqual({ 401: 8, 429: 12 });
    const elsewhere = { ...bearer('wrong'), 'x-forwarded-for': '2001:db8:2::1' };
    expect(await statusOf(testApp, getProfile.url, elsewhere)).toBe(401);
  });

  test('are limited for concurrent requests too', async () => {
    const testApp = await start({ wrongTokensPerMinute: 4 });
    const answers = await Promise.all(
      Array.from({ length: 40 }, () => statusOf(testApp, LIVE_EVENTS_PATH, bearer(randomUUID()))),
    );
    expect(answers.filter((status) => status === 401).length).toBeLessThanOrEqual(4);
    expect(new Set(answers)).toEqual(new Set([401, 429]));
  });

  test('do not affect valid tokens and requests without a token from the same network', async () => {
    const testApp = await start({ wrongTokensPerMinute: 2 });
    const user = await createUser(testApp);
    await user.call(getProfile, {});
    await statuses(3, () => statusOf(testApp, getProfile.url, bearer('wrong')));
    await expect(user.call(getProfile, {})).resolves.toBeDefined();
    expect(await statusOf(testApp, getSettings.url)).toBe(200);
    expect(await statusOf(testApp, getProfile.url)).toBe(401);
  });

  test('do not affect fresh tokens of the same network, nor are tokens of ended sessions guesses', async () => {
    const testApp = await start({ wrongTokensPerMinute: 2 });
    const [user, gone] = [await createUser(testApp), await createUser(testApp)];
    await gone.call(logout, {});
    expect(await statuses(5, () => statusOf(testApp, getProfile.url, gone.headers))).toEqual({ 401: 5 });
    await expect(user.call(getProfile, {})).resolves.toBeDefined();
    expect(await statuses(3, () => statusOf(testApp, getProfile.url, bearer('wrong')))).toEqual({ 401: 2, 429: 1 });
    const { data } = await testApp.call(signIn, { body: { email: user.email, password: PASSWORD } });
    expect(await statusOf(testApp, getProfile.url, bearer(data.accessToken))).toBe(200);
  });

  test('of gateways count too, and the gateway with a valid token continues', async () => {
    const testApp = await start({ wrongTokensPerMinute: 2 });
    await addNode(testApp);
    expect(await report(testApp, GATEWAY_TOKEN)).toBe(200);
    expect(await statuses(4, () => report(testApp, randomUUID()))).toEqual({ 401: 2, 429: 2 });
    expect(await report(testApp, GATEWAY_TOKEN)).toBe(200);
  });

  test('are in the metrics, as are sockets', async () => {
    const testApp = await start({ wrongTokensPerMinute: 2 });
    await statuses(3, () => statusOf(testApp, getProfile.url, bearer('wrong')));
    const metrics = await (await fetch(`${testApp.url}/metrics`)).text();
    expect(metrics).toContain('wrong_tokens_total{outcome="wrong"} 2');
    expect(metrics).toContain('wrong_tokens_total{outcome="refused"} 1');
    expect(metrics).toMatch(/http_sockets\{port="public"\} [1-9]/);
    expect(metrics).toContain('http_sockets_closed_total{port="public",bound="network"} 0');
  });
});

describe('a request with', () => {
  test.each([
    ['two hosts', 'Host: a\r\nHost: b\r\n'],
    ['no host', ''],
  ])('%s is refused', async (_name, hosts) => {
    const testApp = await start();
    const answer = await exchangeBytes(testApp.url, `GET /v1/settings HTTP/1.1\r\n${hosts}Connection: close\r\n\r\n`);
    expect([answer.status, errorOf(answer).details?.[0]?.path]).toEqual([400, 'headers.host']);
  });
});

test('requests in progress are limited per network, also for clients behind a reverse proxy', async () => {
  const testApp = await start({ socketsPerNetwork: 4 });
  // Their bodies are never sent, so they stay in progress.
  const begun = `POST ${signIn.url} HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: 198.51.100.7\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n`;
  const sockets = [];
  for (let index = 0; index < 4; index++) {
    const socket = await openSocket(testApp.url);
    socket.write(begun);
    sockets.push(socket);
  }
  const ask = (address: string) => statusOf(testApp, getSettings.url, { 'x-forwarded-for': address });
  await expect.poll(() => ask('198.51.100.7')).toBe(429);
  expect(await ask('198.51.100.8')).toBe(200);
  for (const socket of sockets) {
    socket.destroy();
    await whenClosed(socket);
  }
  await expect.poll(() => ask('198.51.100.7')).toBe(200);
});

test('gateways can have a separate port, and their endpoints are not served elsewhere', async () => {
  const testApp = await start({ internalPort: 0, internalHost: '127.0.0.1' });
  await addNode(testApp);
  const port = await testApp.app.listeners.listenInternally();
  const internal = { ...testApp, url: `http://127.0.0.1:${port}` };
  expect(await report(internal, GATEWAY_TOKEN)).toBe(200);
  expect(await report(testApp, GATEWAY_TOKEN)).toBe(404);
  expect(await report(testApp, GATEWAY_TOKEN, update.url.replace('/i', '/%69'))).toBe(404);
  expect(await statusOf(internal, '/health/live')).toBe(200);
  for (const path of [getSettings.url, getProfile.url, '/', '/docs']) expect(await statusOf(internal, path)).toBe(404);
  expect(await statusOf(testApp, getSettings.url)).toBe(200);
});
