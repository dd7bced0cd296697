import { signIn } from '@cellhop/contract/auth';
import { connect, listConnections } from '@cellhop/contract/connections';
import { errorBodySchema } from '@cellhop/contract/schemas';
import { getProfile } from '@cellhop/contract/users';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createUser, type TestUser } from '../../test/factories.ts';
import { startTestApp, type TestApp } from '../../test/test-app.ts';
import { inlineScriptHashes } from './web-pages.ts';

let testApp: TestApp;
let user: TestUser;
beforeAll(async () => {
  testApp = await startTestApp();
  user = await createUser(testApp);
});
afterAll(() => testApp.stop());

interface RawAnswer {
  status: number;
  body: ReturnType<typeof errorBodySchema.parse>;
}

/** Sends exactly these bytes; every error must have the format of the contract. */
async function send(path: string, body: string, headers: Record<string, string> = {}): Promise<RawAnswer> {
  const response = await fetch(testApp.url + path, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json', ...headers },
  });
  return { status: response.status, body: errorBodySchema.parse(await response.json()) };
}

describe('an invalid request gets 400 with the field', () => {
  const email = 'a@example.com';
  const password = 'long enough';
  test.each([
    ['malformed JSON', '{"email":', 'body'],
    ['no object', '"text"', 'body'],
    ['null', 'null', 'body'],
    ['nothing', '', 'body'],
    ['a missing field', JSON.stringify({ email }), 'body.password'],
    ['an unknown field', JSON.stringify({ email, password, isAdmin: true }), 'body.isAdmin'],
    ['a wrong type', JSON.stringify({ email: 5, password }), 'body.email'],
    ['a wrong format', JSON.stringify({ email: 'a@b', password }), 'body.email'],
    ['too short a text', JSON.stringify({ email, password: 'short' }), 'body.password'],
    ['too long a text', JSON.stringify({ email, password: 'x'.repeat(351) }), 'body.password'],
    ['a NUL character', JSON.stringify({ email, password: 'long\u0000enough' }), 'body.password'],
    ['half of an emoji', JSON.stringify({ email, password: 'long \ud83d enough' }), 'body.password'],
    ['a poisoned prototype', '{"email":"a@example.com","password":"long enough","__proto__":{"x":1}}', 'body'],
  ])('%s', async (_name, body, path) => {
    const answer = await send(signIn.url, body);
    expect(answer).toMatchObject({ status: 400, body: { statusCode: 400, error: 'Bad Request', code: 'VALIDATION' } });
    expect(answer.body.details?.map((detail) => detail.path)).toContain(path);
  });

  test.each([{ page: '0' }, { page: '-1' }, { page: 'x' }, { size: '101' }, { unknown: '1' }])(
    'query %j',
    async (query) => {
      const failure = await user.call(listConnections, { query }).catch((error: unknown) => error);
      const [name] = Object.keys(query);
      expect(failure).toMatchObject({ status: 400, body: { details: [{ path: `query.${name}` }] } });
    },
  );
});

describe('other errors', () => {
  test('a body that is too large, and malformed JSON', async () => {
    expect((await send(signIn.url, `"${'x'.repeat(1_100_000)}"`)).body.code).toBe('PAYLOAD_TOO_LARGE');
    expect((await send(signIn.url, '<xml/>', { 'content-type': 'text/xml' })).body.code).toBe('UNSUPPORTED_MEDIA_TYPE');
  });

  test('responses of the API are not cached, errors included', async () => {
    for (const path of ['/v1/settings', getProfile.url, '/v1/nothing', '/health/live', '/v1/support/tickets/%ED%A0%BD'])
      for (const headers of [{}, user.headers]) {
        const response = await fetch(testApp.url + path, { headers });
        expect([path, response.headers.get('cache-control')]).toEqual([path, 'no-store']);
      }
  });

  test('unknown paths of the API get 404 in the common error format', async () => {
    for (const path of ['/v1/nothing', '/internal/gateway/nothing', '/dev/nothing']) {
      const response = await fetch(testApp.url + path);
      expect(response.status).toBe(404);
      expect(errorBodySchema.parse(await response.json()).code).toBe('NOT_FOUND');
    }
  });

  test('a malformed URL gets the common error format', async () => {
    for (const path of ['/v1/support/tickets/%ED%A0%BD', '/%']) {
      const response = await fetch(testApp.url + path, { headers: user.headers });
      expect([response.status, errorBodySchema.parse(await response.json()).code]).toEqual([400, 'VALIDATION']);
    }
  });

  test.each([
    ['none', {}],
    ['no bearer', { authorization: 'Basic abc' }],
    ['garbage', { authorization: 'Bearer x.y.z' }],
  ])('a missing or invalid token (%s) gets 401 before anything else is checked', async (_name, headers) => {
    expect(await send(connect.url, '{"wrong":', headers)).toMatchObject({
      status: 401,
      body: { code: 'UNAUTHORIZED' },
    });
  });

  test('an unexpected failure reveals no internals', async () => {
    await testApp.database.query('alter view readable_connections rename column used_bytes to hidden');
    try {
      const failure = await user.call(listConnections, { query: {} }).catch((error: unknown) => error);
      expect(failure).toMatchObject({ status: 500, code: 'INTERNAL', message: 'Internal server error' });
      expect(JSON.stringify(failure)).not.toContain('hidden');
    } finally {
      await testApp.database.query('alter view readable_connections rename column hidden to used_bytes');
    }
  });
});

describe('operational endpoints', () => {
  test('OpenAPI 3.1 describes every endpoint with its errors and authentication', async () => {
    const response = await fetch(`${testApp.url}/docs/json`);
    const document = (await response.json()) as {
      openapi: string;
      paths: Record<string, Record<string, { security?: unknown; responses: object }>>;
    };
    expect(document.openapi).toMatch(/^3\.1/);
    expect(document.paths[connect.url]?.['post']).toMatchObject({ security: [{ bearer: [] }] });
    expect(Object.keys(document.paths[connect.url]!['post']!.responses)).toEqual(
      expect.arrayContaining(['201', '4XX']),
    );
    expect(document.paths[signIn.url]?.['post']?.security).toBeUndefined();
    expect(document.paths['/v1/proxies/connections/{id}/disconnect']).toBeDefined();
    expect(Object.keys(document.paths).filter((path) => /^\/(internal|dev|health)/.test(path))).toEqual([]);
    expect((await fetch(`${testApp.url}/docs`)).status).toBe(200);
  });

  test('the OpenAPI description is serialized once', { tags: ['thorough'] }, async () => {
    const { app, url } = testApp;
    const ask = async (path: string) => (await fetch(url + path)).text();
    const texts = [await ask('/docs/json'), await ask('/docs/yaml')];
    expect(texts[1]).toMatch(/^openapi: 3\.1/);
    const written = vi.spyOn(JSON, 'stringify').mockClear();
    expect([await ask('/docs/json'), await ask('/docs/yaml')]).toEqual(texts);
    const objects = written.mock.calls.map(([value]) => value as unknown);
    written.mockRestore();
    expect(objects).not.toContain(app.swagger());
  });

  test('liveness, readiness and metrics', async () => {
    expect((await fetch(`${testApp.url}/health/live`)).status).toBe(200);
    const ready = await fetch(`${testApp.url}/health/ready`);
    expect([ready.status, await ready.json()]).toEqual([200, { status: 'ok', database: 'ok', gateway: 'away' }]);
    await user.call(getProfile, {});
    const metrics = await (await fetch(`${testApp.url}/metrics`)).text();
    expect(metrics).toContain('http_request_seconds_count{method="GET",route="/v1/profile",status="200"}');
  });

  test.each(['/dev/mailbox', '/docs/static/index.html', '/public-message?message=x'])(
    '%s carries headers against foreign scripts, framing and leaks of codes in links',
    async (path) => {
      const { headers } = await fetch(testApp.url + path);
      const policy = Object.fromEntries(
        headers
          .get('content-security-policy')!
          .split(';')
          .map((directive) => directive.trim().split(' '))
          .map(([name, ...sources]) => [name!, sources.join(' ')]),
      );
      expect(policy).toEqual({
        'default-src': "'self'",
        'script-src': ["'self'", ...inlineScriptHashes()].join(' '),
        'script-src-attr': "'none'",
        'style-src': "'self' 'unsafe-inline'",
        'img-src': "'self' data:",
        'font-src': "'self' data:",
        'connect-src': "'self'",
        'object-src': "'none'",
        'base-uri': "'none'",
        'form-action': "'self'",
        'frame-ancestors': "'none'",
      });
      expect(headers.get('x-frame-options')).toBe('DENY');
      expect(headers.get('permissions-policy')).toContain('camera=(), ');
      expect(headers.get('permissions-policy')).toContain('clipboard-write=(self)');
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
    },
  );

  test.each(['/v1/settings', '/v1/nothing', '/v1/profile', '/docs/json'])(
    '%s is JSON: it may load nothing, and carries no headers for pages',
    async (path) => {
      const headers = Object.fromEntries((await fetch(testApp.url + path)).headers);
      expect(headers).toMatchObject({
        'content-type': 'application/json; charset=utf-8',
        'content-security-policy': "default-src 'none';frame-ancestors 'none'",
        'x-frame-options': 'DENY',
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
      });
      expect(headers).not.toHaveProperty('permissions-policy');
      expect(headers).not.toHaveProperty('cross-origin-opener-policy');
    },
  );
});

describe('in production', () => {
  test('development endpoints do not exist', async () => {
    const production = await startTestApp({ isDevelopment: false });
    try {
      for (const [method, path] of [
        ['GET', '/dev/mailbox'],
        ['GET', '/dev/download/1'],
        ['POST', '/dev/invoices/4e1f0f4e-7c0e-4b0e-9d0e-0123456789ab/pay'],
      ] as const)
        expect((await fetch(production.url + path, { method })).status).toBe(404);
    } finally {
      await production.stop();
    }
  });
});
