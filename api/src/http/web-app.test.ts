import { errorBodySchema } from '@cellhop/contract/schemas';
import Fastify, { type FastifyBaseLogger, type FastifyInstance } from 'fastify';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import http from 'node:http';
import { text } from 'node:stream/consumers';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createLog } from '../process/log.ts';
import { useErrors } from './errors.ts';
import { SCREEN_PATHS_FILE } from './screen-paths.ts';
import { useSecurity } from './security.ts';
import { serveWebApp } from './web-app.ts';

const BRAND = { brandName: 'Cellhop', publicUrl: 'http://localhost:3000', isHttpsOnSubdomains: false };
const root = mkdtempSync(path.join(os.tmpdir(), 'web-app-'));
const logged: string[] = [];
let app: FastifyInstance;
beforeAll(async () => {
  mkdirSync(path.join(root, 'assets'));
  for (const name of ['index.html', 'script.js', 'assets/script.js']) writeFileSync(path.join(root, name), 'content');
  writeFileSync(path.join(root, 'icon-180.png'), 'icon');
  mkdirSync(path.join(root, '.vite'));
  writeFileSync(path.join(root, SCREEN_PATHS_FILE), '["/proxies","/admin/users/$userId"]');
  const log: FastifyBaseLogger = createLog('test', 'error', false, { write: (line) => void logged.push(line) });
  app = Fastify({ loggerInstance: log });
  useErrors(app);
  await useSecurity(app, BRAND);
  await serveWebApp(app, BRAND, root);
  await app.listen({ host: '127.0.0.1', port: 0 });
});
afterAll(async () => {
  await app.close();
  rmSync(root, { recursive: true });
});

/** Unlike fetch, does not normalize the path. */
async function get(target: string, headers: http.OutgoingHttpHeaders = {}) {
  const { port } = app.server.address() as AddressInfo;
  const request = http.get({ host: '127.0.0.1', port, path: target, headers, agent: false });
  const [response] = (await once(request, 'response')) as [http.IncomingMessage];
  return { status: response.statusCode, headers: response.headers, body: await text(response) };
}

test.each([
  ['/x%00', {}, 404, 'NOT_FOUND'],
  ['/%2e%2e/%2e%2e/etc/passwd', {}, 404, 'NOT_FOUND'],
  ['/assets/', {}, 404, 'NOT_FOUND'],
  ['/.vite/paths.json', {}, 404, 'NOT_FOUND'],
  ['/%2evite/paths.json', {}, 404, 'NOT_FOUND'],
  ['/assets/%2e%2e/index.html', {}, 404, 'NOT_FOUND'],
  ['/script.js', { 'if-match': '"another"' }, 412, 'PRECONDITION_FAILED'],
  ['/script.js', { range: 'bytes=1000-' }, 416, 'RANGE_NOT_SATISFIABLE'],
] as const)(
  '%s with %j is refused in the shape of all errors, and no fault of ours',
  async (target, headers, status, code) => {
    const answer = await get(target, headers);
    expect(answer.status).toBe(status);
    expect(errorBodySchema.parse(JSON.parse(answer.body))).toMatchObject({ statusCode: status, code });
    expect(logged).toEqual([]);
  },
);

test('an unsatisfiable range returns the size of the file', async () => {
  expect((await get('/script.js', { range: 'bytes=1000-' })).headers['content-range']).toBe('bytes */7');
});

test('a satisfiable range is served', async () => {
  const answer = await get('/script.js', { range: 'bytes=0-2' });
  expect([answer.status, answer.body]).toEqual([206, 'con']);
});

test.each(['/proxies', '/proxies/', '/proxies?country=DE', '/admin/users/1'])(
  '%s is a screen of the app',
  async (target) => {
    const answer = await get(target);
    expect([answer.status, answer.body]).toEqual([200, 'content']);
  },
);

test.each(['/some/where', '/proxies/1', '/admin/users', '/admin/users/1/2', '/wp-admin/', '/some/where?x=/proxies'])(
  '%s is the same page with 404, also with a copy in the cache',
  async (target) => {
    const { headers } = await get('/proxies');
    const answer = await get(target, { 'if-none-match': headers.etag, 'accept-encoding': 'identity' });
    expect([answer.status, answer.body]).toEqual([404, 'content']);
    expect(answer.headers).toMatchObject({ 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' });
    expect(answer.headers['content-security-policy']).toContain("script-src 'self'");
  },
);

test.each([
  '/old.js',
  '/assets/index-0123abcd.js',
  '/assets/index-0123abcd.css?v=1',
  '/images/no-such.png',
  '/wp-login.php',
  '/.env',
  '/.well-known/security.txt',
  '/.well-known/resource-that-should-not-exist-whose-status-code-should-not-be-200',
])('%s, a missing file, is no page', async (target) => {
  const answer = await get(target);
  expect(answer.status).toBe(404);
  expect(errorBodySchema.parse(JSON.parse(answer.body))).toMatchObject({ code: 'NOT_FOUND' });
});

test('a build without a list of screens is served, and every path is one of the app', async () => {
  const older = mkdtempSync(path.join(os.tmpdir(), 'web-app-'));
  writeFileSync(path.join(older, 'index.html'), 'content');
  mkdirSync(path.join(older, 'assets'));
  const server = Fastify();
  await serveWebApp(server, BRAND, older);
  expect((await server.inject('/some/where')).statusCode).toBe(200);
  await server.close();
  rmSync(older, { recursive: true });
});

test.each(['/apple-touch-icon.png', '/apple-touch-icon-precomposed.png'])('%s is the touch icon', async (target) => {
  const answer = await get(target);
  expect([answer.status, answer.headers['content-type'], answer.body]).toEqual([200, 'image/png', 'icon']);
});

test('assets are cached for a year and carry only the headers that concern them', async () => {
  const { headers } = await get('/assets/script.js');
  expect(headers).toMatchObject({
    'cache-control': 'public, max-age=31536000, immutable',
    'content-security-policy': "default-src 'none';frame-ancestors 'none'",
    'cross-origin-resource-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
  });
  expect(headers).not.toHaveProperty('permissions-policy');
  expect(headers).not.toHaveProperty('cross-origin-opener-policy');
});

test('an unknown asset is not cached', async () => {
  expect((await get('/assets/unknown.js')).headers['cache-control']).toBe('no-store');
});

test.each(['/some/where', '/script.js'])('%s carries all headers for pages', async (target) => {
  const { headers } = await get(target);
  expect(headers['cache-control']).not.toBe('public, max-age=31536000, immutable');
  expect(headers['content-security-policy']).toContain("script-src 'self'");
  expect(headers).toHaveProperty('permissions-policy');
  expect(headers['cross-origin-opener-policy']).toBe('same-origin');
});
