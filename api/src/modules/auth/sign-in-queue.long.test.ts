/** @module-tag long */
import { changePassword, signIn } from '@cellhop/contract/auth';
import { DEVICE_TOKEN_HEADER } from '@cellhop/contract/auth.values';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createUser, PASSWORD, type TestUser } from '../../../test/factories.ts';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import type { Ctx } from '../../ctx.ts';
import { signIn as authSignIn } from './auth.service.ts';
import { hashPassword, passwordHashUsage, unknownClient } from './passwords.ts';

const LOOKUPS_MAX = 2;
/** The account and its failed attempts. */
const QUERIES_OF_LOOKUP = 2;
let testApp: TestApp;
let user: TestUser;
let deviceToken: string;
beforeAll(async () => {
  testApp = await startTestApp();
  user = await createUser(testApp);
  deviceToken = (await enter()).data.deviceToken!;
});
afterAll(() => testApp.stop());

const enter = (headers: Record<string, string> = {}) =>
  testApp.call(signIn, { body: { email: user.email, password: PASSWORD } }, { headers });
const clientAt = (index: number) => ({
  ip: `198.51.${Math.floor(index / 250)}.${1 + (index % 250)}`,
  userAgent: undefined,
  requestId: 'a request',
});
const attempt = (ctx: Ctx, index: number) =>
  authSignIn(
    ctx,
    { email: `nobody${index}@example.com`, password: 'a wrong password' },
    undefined,
    clientAt(index),
  ).catch((error: { code: string }) => error.code);

test('while unknown clients from hundreds of networks fill the queue, a new client is refused without a query and known users are served', async () => {
  let isOver = false;
  const unknownClients = Array.from({ length: 620 }, (_, index) =>
    hashPassword('x', unknownClient(clientAt(index).ip)).catch(() => 'refused'),
  );
  const all = Promise.all(unknownClients).then(() => (isOver = true));
  const ctxWithoutDatabase = { ...testApp.ctx, db: { query: (text: string) => Promise.reject(new Error(text)) } };
  expect(await attempt(ctxWithoutDatabase, 700)).toBe('UNAVAILABLE');
  expect((await enter({ [DEVICE_TOKEN_HEADER]: deviceToken })).data.profile.email).toBe(user.email);
  const change = { body: { currentPassword: PASSWORD, password: 'a password that is new' } };
  expect((await user.call(changePassword, change)).data.changedAt).toBeDefined();
  expect(isOver).toBe(false);
  await all;
});

test('sign-ins from hundreds of networks use two database connections for lookups', async () => {
  let [inProgress, most, answered] = [0, 0, 0];
  const counting: Ctx = {
    ...testApp.ctx,
    db: {
      async query(...given) {
        most = Math.max(most, (inProgress += 1));
        return testApp.ctx.db.query<never>(...given).finally(() => {
          inProgress -= 1;
          answered += 1;
        });
      },
    },
  };
  // These are hashed first, so that no attempt goes on before all lookups are done.
  const before = Array.from({ length: 100 }, (_, index) => hashPassword('x', unknownClient(`203.0.113.${index}`)));
  const attempts = Array.from({ length: 60 }, (_, index) => attempt(counting, index));
  await expect.poll(() => answered, { interval: 5 }).toBe(60 * QUERIES_OF_LOOKUP);
  expect(passwordHashUsage().waiting).toBeGreaterThan(60);
  expect(most).toBe(LOOKUPS_MAX);
  await Promise.all(before);
  expect(new Set(await Promise.all(attempts))).toEqual(new Set(['INVALID_CREDENTIALS']));
});
