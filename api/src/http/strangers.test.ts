/** @module-tag thorough */
import { UNSUBSCRIBE_PATH } from '@cellhop/contract/alerts';
import { CONFIRM_EMAIL_PATH, SECOND_FACTOR_RESET_PATH } from '@cellhop/contract/auth';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { endpoints } from '../../test/endpoints.ts';
import { createProxy, createUser, PASSWORD, type TestUser } from '../../test/factories.ts';
import { startTestApp, type TestApp } from '../../test/test-app.ts';
import type { Database } from '../db/db.ts';
import { SITEMAP_PATH } from './sitemap.ts';

/** Requests at once, of one network. */
const REQUESTS = 20;
/** What strangers share; refreshes have a share of their own. */
const SHARE = 2;
const REFRESH_SHARE = 4;

let testApp: TestApp;
let user: TestUser;
/** Connections that are in use at once. */
const used = { now: 0, most: 0 };
beforeAll(async () => {
  testApp = await startTestApp({ databasePoolSize: 20 });
  user = await createUser(testApp);
  await createProxy(testApp);
  countConnections(testApp.database);
});
afterAll(() => testApp.stop());

/** Slow enough that requests meet. */
function countConnections(database: Database): void {
  for (const name of ['query', 'transaction'] as const) {
    const original = database[name].bind(database) as (...given: unknown[]) => Promise<unknown>;
    const counting = async (...given: unknown[]) => {
      // Announcements of changes: the process sends one at a time for all of its requests.
      if (String(given[0]).includes('pg_notify')) return original(...given);
      used.most = Math.max(used.most, ++used.now);
      try {
        await pause(2);
        return await original(...given);
      } finally {
        used.now -= 1;
      }
    };
    Object.assign(database, { [name]: counting });
  }
}

/** A value that is kept may be read again after the request that noticed its age. */
async function untilIdle(): Promise<void> {
  await expect.poll(() => used.now).toBe(0);
  used.most = 0;
}

const code = { code: 'x'.repeat(43) };
const json = (body: object) => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});
const form = () => ({ method: 'POST', body: new URLSearchParams(code) });
const newEmail = () => `${randomUUID()}@example.com`;

/** How each path is requested that strangers may request, as often as the test wants. */
const requests: Record<string, () => [path: string, options?: RequestInit]> = {
  'GET /v1/settings': () => ['/v1/settings'],
  'GET /v1/legal/{document}': () => ['/v1/legal/terms?languageCode=en'],
  'GET /v1/proxies/lowest-price': () => ['/v1/proxies/lowest-price'],
  'GET /v1/proxies/stock': () => ['/v1/proxies/stock'],
  'GET /v1/receipts/public-key': () => ['/v1/receipts/public-key'],
  'GET /v1/echo': () => ['/v1/echo?nonce=n'],
  'POST /v1/browser-errors': () => ['/v1/browser-errors', json({ name: 'Error', message: 'x', path: '/' })],
  'POST /v1/auth/sign-up': () => [
    '/v1/auth/sign-up',
    json({ languageCode: 'en', email: newEmail(), password: PASSWORD, referralCode: user.referralCode }),
  ],
  'POST /v1/auth/sign-in': () => ['/v1/auth/sign-in', json({ email: user.email, password: PASSWORD })],
  'POST /v1/auth/sign-in, unknown': () => ['/v1/auth/sign-in', json({ email: newEmail(), password: PASSWORD })],
  'POST /v1/auth/confirm-email/resend': () => ['/v1/auth/confirm-email/resend', json({ email: newEmail() })],
  'POST /v1/auth/confirm-email/sign-in': () => ['/v1/auth/confirm-email/sign-in', json({ id: randomUUID() })],
  'POST /v1/auth/recovery-password': () => ['/v1/auth/recovery-password', json({ email: newEmail() })],
  'POST /v1/auth/recovery-password/{sessionId}/resend': () => [
    `/v1/auth/recovery-password/${randomUUID()}/resend`,
    { method: 'POST' },
  ],
  'POST /v1/auth/recovery-password/set-password': () => [
    '/v1/auth/recovery-password/set-password',
    json({ ...code, password: PASSWORD }),
  ],
  'POST /v1/auth/refresh-tokens': () => [
    '/v1/auth/refresh-tokens',
    json({ accessToken: user.token, refreshToken: '1.x' }),
  ],
  'GET /v1/rotate/{secret}': () => [`/v1/rotate/${'a'.repeat(40)}`],
  // Without a declaration in the contract.
  [`GET ${CONFIRM_EMAIL_PATH}`]: () => [`${CONFIRM_EMAIL_PATH}?${new URLSearchParams(code)}`],
  [`POST ${CONFIRM_EMAIL_PATH}`]: () => [CONFIRM_EMAIL_PATH, form()],
  [`GET ${SECOND_FACTOR_RESET_PATH}`]: () => [`${SECOND_FACTOR_RESET_PATH}?${new URLSearchParams(code)}`],
  [`POST ${SECOND_FACTOR_RESET_PATH}`]: () => [SECOND_FACTOR_RESET_PATH, form()],
  [`GET ${UNSUBSCRIBE_PATH}`]: () => [`${UNSUBSCRIBE_PATH}?${new URLSearchParams(code)}`],
  [`GET ${SITEMAP_PATH}`]: () => [SITEMAP_PATH],
  'GET /health/ready': () => ['/health/ready'],
  // Not theirs, but they may guess tokens.
  'POST /internal/gateway/hello': () => [
    '/internal/gateway/hello',
    { ...json({}), headers: { authorization: `Bearer ${randomUUID()}` } },
  ],
};

test('each public endpoint is requested below', () => {
  const missing = endpoints
    .filter(({ access }) => access === 'public')
    .map(({ method, url }) => `${method} ${url}`)
    .filter((name) => !(name in requests));
  expect(missing).toEqual([]);
});

test.each(Object.keys(requests))(
  'many requests of one network for %s stay within the share of strangers',
  async (name) => {
    await untilIdle();
    const statuses = await Promise.all(
      Array.from({ length: REQUESTS }, async () => {
        const [path, options] = requests[name]!();
        const response = await fetch(testApp.url + path, { redirect: 'manual', ...options });
        await response.arrayBuffer();
        return response.status;
      }),
    );
    // A readiness check may end by its time limit.
    expect(statuses.filter((status) => status === 500)).toEqual([]);
    expect(used.most).toBeLessThanOrEqual(name.includes('refresh') ? REFRESH_SHARE : SHARE);
  },
);

test('a call of a member of staff takes one connection at once, also for what it reads from many tables', async () => {
  const admin = await createUser(testApp, { roleName: 'ADMIN' });
  for (const path of [`/v1/users/admin/${user.id}/timeline`, `/v1/users/admin/${user.id}/counts`, '/v1/system/admin']) {
    await untilIdle();
    expect((await fetch(testApp.url + path, { headers: admin.headers })).status).toBe(200);
    expect(used.most).toBe(1);
  }
});
