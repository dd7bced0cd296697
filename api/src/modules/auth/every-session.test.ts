import { signIn } from '@cellhop/contract/auth';
import { getProfile } from '@cellhop/contract/users';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createUser, PASSWORD, type TestUser } from '../../../test/factories.ts';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { endEverySession } from './every-session.service.ts';

let testApp: TestApp;
let users: TestUser[];
beforeAll(async () => {
  testApp = await startTestApp();
});
beforeEach(async () => {
  users = [await createUser(testApp), await createUser(testApp, { roleName: 'ADMIN' })];
});
afterAll(() => testApp.stop());

const enter = ({ email }: TestUser) => testApp.call(signIn, { body: { email, password: PASSWORD } });

test('all sessions end, and users sign in again with their passwords', async () => {
  expect(await endEverySession(testApp.ctx, false)).toEqual({ endedCount: 2, resetCount: undefined });
  for (const user of users) {
    await expect(user.call(getProfile, {})).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
    await enter(user);
  }
});

test('with a reset no password works any more, that of an administrator included', async () => {
  const { resetCount } = await endEverySession(testApp.ctx, true);
  expect(resetCount).toBeGreaterThanOrEqual(2);
  for (const user of users) await expect(enter(user)).rejects.toMatchObject({ code: 'INVALID_CREDENTIALS' });
  const [entry] = await testApp.database.query<{ actorId: string | null; details: { resetCount: number } }>(
    `select actor_id as "actorId", details from audit_log where action = 'EVERY_SESSION_ENDED' order by id desc limit 1`,
  );
  expect(entry).toEqual({ actorId: null, details: { count: expect.any(Number), resetCount } });
});
