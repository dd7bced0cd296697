import { afterAll, beforeAll, expect, test } from 'vitest';
import type { FastifyInstance } from 'fastify';
import type { AddressInfo } from 'node:net';
import { exchangeBytes } from '../../test/raw-http.ts';
import { startTestApp, type TestApp } from '../../test/test-app.ts';
import type { Access } from './route.ts';
import { createServer } from './server.ts';

let testApp: TestApp;
let app: FastifyInstance;
beforeAll(async () => {
  testApp = await startTestApp();
  app = await createServer(testApp.ctx, {} as Access);
  // As the pages for visitors do.
  app.get('/page/', (request, reply) => reply.redirect(request.url.replace(/\/(?=\?|$)/, ''), 301));
  app.get('/', (request) => request.url);
  await app.listen({ host: '127.0.0.1', port: 0 });
});
afterAll(async () => {
  await app.close();
  await testApp.stop();
});

const get = (target: string) =>
  exchangeBytes(
    `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`,
    `GET ${target} HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n`,
  );

test.each([
  ['http://evil.example/page/', '/page'],
  ['HTTPS://user@evil.example:8443/page/?from=mail', '/page?from=mail'],
  ['/page/', '/page'],
])('a request for %s is redirected to %s on this host', async (target, location) => {
  expect(await get(target)).toMatchObject({ status: 301, headers: { location } });
});

test.each([
  ['http://evil.example', '/'],
  ['http://evil.example?a=1', '/?a=1'],
])('a request for %s is one for %s', async (target, url) => {
  expect((await get(target)).text).toContain(url);
});
