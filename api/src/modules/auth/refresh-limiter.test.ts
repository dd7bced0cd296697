/** @module-tag thorough */
import { refreshTokens, signIn } from '@cellhop/contract/auth';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createUser, PASSWORD } from '../../../test/factories.ts';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import type { Ctx } from '../../ctx.ts';
import { limitRefreshes, refreshUsage } from './refresh-limiter.ts';
import { refresh } from './sessions.service.ts';
import { newSecret } from './tokens.ts';

const IDLE = { running: 0, waiting: 0 };
let testApp: TestApp;
beforeAll(async () => {
  testApp = await startTestApp();
});
afterAll(() => testApp.stop());

const newSession = async () => {
  const { email } = await createUser(testApp);
  return (await testApp.call(signIn, { body: { email, password: PASSWORD } })).data;
};
const requesterAt = (ip: string) => ({ ip, userAgent: undefined, requestId: 'a request' });
const addressAt = (index: number) => `198.51.${Math.floor(index / 250)}.${1 + (index % 250)}`;

test('wrong refresh tokens from hundreds of networks use one database connection, and the owner can refresh', async () => {
  const { accessToken, refreshToken } = await newSession();
  let [inProgress, most] = [0, 0];
  const counting: Ctx = {
    ...testApp.ctx,
    db: {
      async query(...given) {
        most = Math.max(most, (inProgress += 1));
        return testApp.ctx.db.query<never>(...given).finally(() => (inProgress -= 1));
      },
    },
  };
  const guesses = Array.from({ length: 200 }, (_, index) =>
    refresh(counting, { accessToken, refreshToken: newSecret() }, requesterAt(addressAt(index))),
  );
  const owner = testApp.call(
    refreshTokens,
    { body: { accessToken, refreshToken } },
    { headers: { 'x-forwarded-for': '203.0.113.1' } },
  );
  const outcomes = await Promise.allSettled(guesses);
  expect(new Set(outcomes.map((outcome) => (outcome as { reason?: { code: string } }).reason?.code))).toEqual(
    new Set(['REFRESH_REJECTED']),
  );
  expect(most).toBe(1);
  expect((await owner).data.refreshToken).toMatch(/^2\./);
  expect(refreshUsage()).toMatchObject(IDLE);
});

test('a hundred refreshes of a session and network wait, the next is refused at once; other sessions and networks continue', async () => {
  let open!: () => void;
  const opened = new Promise<void>((resolve) => (open = resolve));
  const refusedBefore = refreshUsage().refused;
  const held = Array.from({ length: 101 }, () => limitRefreshes('a session', ['a network'], () => opened));
  await expect(limitRefreshes('a session', ['a network'], async () => 'never')).rejects.toMatchObject({
    code: 'RATE_LIMITED',
    retryAfterSeconds: 1,
  });
  expect(await limitRefreshes('another session', ['a network'], async () => 'done')).toBe('done');
  const elsewhere = limitRefreshes('a session', ['another network'], async () => 'done');
  expect(refreshUsage()).toEqual({ running: 1, waiting: 101, refused: refusedBefore + 1 });
  open();
  await Promise.all([...held, elsewhere]);
  expect(refreshUsage()).toEqual({ ...IDLE, refused: refusedBefore + 1 });
});
