import { listSessions, refreshTokens, signIn, type Tokens } from '@cellhop/contract/auth';
import { getProfile } from '@cellhop/contract/users';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createUser, PASSWORD, type TestUser } from '../../../test/factories.ts';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { findOpenSessions } from './sessions.service.ts';

let testApp: TestApp;
beforeAll(async () => {
  testApp = await startTestApp();
});
afterAll(() => testApp.stop());

const refresh = async (pair: Pick<Tokens, 'accessToken' | 'refreshToken'>) => {
  const { accessToken, refreshToken } = pair;
  return (await testApp.call(refreshTokens, { body: { accessToken, refreshToken } })).data;
};
const enter = async ({ email }: TestUser) => (await testApp.call(signIn, { body: { email, password: PASSWORD } })).data;
/** Backdates the beginning of all sessions of the user, but not their last refresh. */
async function age(user: TestUser, time: string): Promise<string[]> {
  const rows = await testApp.database.query<{ id: string }>(
    'update sessions set created_at = now() - $2::interval where user_id = $1 returning id',
    [user.id, time],
  );
  return rows.map(({ id }) => id);
}

test('a session of staff ends twelve hours after the sign-in: no request, no refresh, no open page', async () => {
  const support = await createUser(testApp, { roleName: 'SUPPORT' });
  const first = await enter(support);
  const ids = await age(support, '11 hours 59 minutes');
  await support.call(getProfile, {});
  const second = await refresh(first);
  expect(await findOpenSessions(testApp.ctx, ids)).toEqual(new Set(ids));
  await age(support, '12 hours');
  await expect(support.call(getProfile, {})).rejects.toMatchObject({ status: 401 });
  await expect(refresh(second)).rejects.toMatchObject({ code: 'REFRESH_REJECTED' });
  expect(await findOpenSessions(testApp.ctx, ids)).toEqual(new Set());
  const headers = { authorization: `Bearer ${(await enter(support)).accessToken}` };
  expect((await testApp.call(listSessions, {}, { headers })).data).toHaveLength(1);
});

test('sessions of customers last longer, until they get a role with permissions', async () => {
  const user = await createUser(testApp);
  const first = await enter(user);
  await age(user, '13 hours');
  await user.call(getProfile, {});
  expect((await user.call(listSessions, {})).data).toHaveLength(2);
  const second = await refresh(first);
  await testApp.database.query(`update users set role_name = 'SUPPORT' where id = $1`, [user.id]);
  await expect(user.call(getProfile, {})).rejects.toMatchObject({ status: 401 });
  await expect(refresh(second)).rejects.toMatchObject({ code: 'REFRESH_REJECTED' });
});
