/** @module-tag thorough */
import { getSystemState } from '@cellhop/contract/staff/system';
import type http from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FakeNode, listenAsNode } from '../../../test/chains/fake-node.ts';
import { createUser, type TestUser } from '../../../test/factories.ts';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { order } from '../../../test/operator.ts';
import { payments as paymentsCommand } from '../../commands/payments.ts';
import { createLog } from '../../process/log.ts';
import { loadConfig } from '../../process/config.ts';
import type { Chain } from '../../payments/currencies.ts';
import { watchChain } from './watch.service.ts';

/** One in each place of a URL that may contain one. */
const secrets = ['s3cret-pass', 's3cret-path-key', 's3cret-query-key', 's3cret-header-key'];
const echo = secrets.join(' ');
const chains: Chain[] = ['bitcoin', 'ethereum', 'bsc', 'tron', 'ton'];

type Fault = (response: http.ServerResponse) => void;
/** What nodes, providers and the proxies before them respond; most repeat what they have received. */
const faults: [string, Fault][] = [
  ['a refusal', send(200, JSON.stringify({ jsonrpc: '2.0', id: 1, error: { code: -32000, message: echo } }))],
  ['a refusal of java-tron', send(200, JSON.stringify({ Error: echo }))],
  ['a quota', send(200, JSON.stringify({ id: 1, error: { code: -32005, message: `rate limit of ${echo}` } }))],
  ['no access', send(401, echo)],
  ['a suspended key', send(403, `${echo} is suspended for 0s`)],
  ['too many requests', send(429, echo, { 'retry-after': '0' })],
  ['a page', send(200, `<html>${echo}</html>`)],
  ['another page', send(502, echo)],
  ['an unknown path', send(404, echo)],
  ['another shape', send(200, JSON.stringify({ id: 1, result: { [echo]: echo } }))],
  ['a redirection', send(302, '', { location: `http://127.0.0.1:1/${echo.replaceAll(' ', '/')}` })],
  ['a closed connection', (response) => response.destroy()],
];

function send(status: number, body: string, headers: Record<string, string> = {}): Fault {
  return (response) => response.writeHead(status, headers).end(body);
}

const lines: string[] = [];
const requests: http.IncomingMessage[] = [];
let testApp: TestApp;
let staff: TestUser;
let nodes: { node: FakeNode; close: () => void }[];

beforeAll(async () => {
  nodes = await Promise.all([listenAsNode({}), listenAsNode({})]);
  const log = createLog('test', 'trace', false, { write: (line) => void lines.push(line) });
  testApp = await startTestApp({}, log);
  staff = await createUser(testApp, { roleName: 'ADMIN' });
  const urls = nodes.map(({ node }) => withSecrets(node.url)).join(',');
  const names = {
    bitcoin: 'PAY_BTC_URLS',
    ethereum: 'PAY_ETH_URLS',
    bsc: 'PAY_BSC_URLS',
    tron: 'PAY_TRON_URLS',
    ton: 'PAY_TON_URLS',
  };
  const { payments } = loadConfig({
    DATABASE_URL: testApp.ctx.config.databaseUrl,
    SECRET_KEY: 'a secret key for tests of at least 32 characters',
    GATEWAY_TOKEN: 'gateway-token-of-the-tests',
    ...Object.fromEntries(Object.values(names).map((name) => [name, urls])),
  });
  Object.assign(testApp.ctx.config, { isDevelopment: false, payments });
});
afterAll(async () => {
  for (const { close } of nodes) close();
  await testApp.stop();
});

function withSecrets(url: string): string {
  const target = new URL(url);
  [target.username, target.password] = ['user', 's3cret-pass'];
  [target.pathname, target.search] = ['/s3cret-path-key', '?key=s3cret-query-key'];
  return `${target.href}#X-API-Key=s3cret-header-key`;
}

test.each(faults)('keys of a source that responds with %s appear nowhere', async (_, respond) => {
  for (const { node } of nodes)
    node.respond = (request, response) => {
      requests.push(request);
      request.resume().on('end', () => respond(response));
    };
  const shown: unknown[] = [];
  for (const chain of chains) {
    await testApp.database.query('update chain_cursors set next_poll_at = now()');
    await watchChain(testApp.ctx, chain);
  }
  shown.push(await testApp.database.query('select * from chain_cursors'));
  shown.push((await staff.call(getSystemState, {})).data);
  shown.push(await (await fetch(`${testApp.url}/metrics`)).text());
  shown.push(await order(testApp.ctx, paymentsCommand, ['check']).catch(String));
  expect(lines.join('')).toMatch(/chain unavailable/);
  const text = JSON.stringify([shown, lines], (_key, value: unknown) =>
    typeof value === 'bigint' ? `${value}` : value,
  );
  expect(text).toContain('127.0.0.1:');
  expect(text).not.toMatch(/s3cret/);
});

test('the key of the fragment was a header, and in no URL', () => {
  expect(requests.length).toBeGreaterThan(faults.length);
  for (const { url, headers } of requests) {
    expect(headers).toMatchObject({
      'x-api-key': 's3cret-header-key',
      authorization: expect.stringMatching(/^Basic /) as string,
    });
    expect(url).not.toMatch(/header-key|X-API|s3cret-pass|#/);
  }
});
