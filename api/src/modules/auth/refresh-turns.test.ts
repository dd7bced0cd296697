import { refreshTokens, signIn } from '@cellhop/contract/auth';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createUser, PASSWORD } from '../../../test/factories.ts';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import type { Ctx } from '../../ctx.ts';
import { inRefreshTurn, refreshesUse } from './refresh-turns.ts';
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
const clientAt = (ip: string) => ({ ip, userAgent: undefined, requestId: 'a request' });
const addressAt = (index: number) => `198.51.${Math.floor(index / 250)}.${1 + (index % 250)}`;

test('wrong refresh tokens from hundreds of networks take one connection to the database, and the owner refreshes meanwhile', async () => {
  const { accessToken, refreshToken } = await newSession();
  let [underWay, most] = [0, 0];
  const counting: Ctx = {
    ...testApp.ctx,
    db: {
      async query(...given) {
        most = Math.max(most, (underWay += 1));
        return testApp.ctx.db.query<never>(...given).finally(() => (underWay -= 1));
      },
    },
  };
  const guesses = Array.from({ length: 200 }, (_, index) =>
    refresh(counting, { accessToken, refreshToken: newSecret() }, clientAt(addressAt(index))),
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
  expect(refreshesUse()).toMatchObject(IDLE);
});

test('of one network a hundred refreshes of a session wait, the next is refused at once; other sessions and networks go on', async () => {
  let open!: () => void;
  const opened = new Promise<void>((resolve) => (open = resolve));
  const refusedBefore = refreshesUse().refused;
  const held = Array.from({ length: 101 }, () => inRefreshTurn('a session', 'a network', () => opened));
  await expect(inRefreshTurn('a session', 'a network', async () => 'never')).rejects.toMatchObject({
    code: 'RATE_LIMITED',
    retryAfterSeconds: 1,
  });
  expect(await inRefreshTurn('another session', 'a network', async () => 'done')).toBe('done');
  const elsewhere = inRefreshTurn('a session', 'another network', async () => 'done');
  expect(refreshesUse()).toEqual({ running: 1, waiting: 101, refused: refusedBefore + 1 });
  open();
  await Promise.all([...held, elsewhere]);
  expect(refreshesUse()).toEqual({ ...IDLE, refused: refusedBefore + 1 });
});
