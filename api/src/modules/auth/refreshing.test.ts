import { refreshTokens, signIn, type SignInResult, type Tokens } from '@cellhop/contract/auth';
import { getProfile } from '@cellhop/contract/users';
import { SignJWT } from 'jose';
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createUser, PASSWORD } from '../../../test/factories.ts';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { deriveKey } from '../../secrets/keys.ts';
import { newSecret } from './tokens.ts';
import { createTestClient } from '../../../test/test-client.ts';

let testApp: TestApp;
beforeAll(async () => {
  testApp = await startTestApp();
});
afterAll(() => testApp.stop());

const enter = async (email: string): Promise<SignInResult> =>
  (await testApp.call(signIn, { body: { email, password: PASSWORD } })).data;
const newSession = async () => enter((await createUser(testApp)).email);
const refresh = async (
  { accessToken, refreshToken }: Pick<Tokens, 'accessToken' | 'refreshToken'>,
  ip = '127.0.0.1',
) => {
  const options = { headers: { 'x-forwarded-for': ip } };
  return (await testApp.call(refreshTokens, { body: { accessToken, refreshToken } }, options)).data;
};
const isAccepted = (accessToken: string) =>
  createTestClient({ baseUrl: testApp.url, headers: () => ({ authorization: `Bearer ${accessToken}` }) })(
    getProfile,
    {},
  ).then(
    () => true,
    (error: { code: string }) => error.code,
  );
const sessionOf = ({ accessToken }: Pick<Tokens, 'accessToken'>) =>
  (JSON.parse(Buffer.from(accessToken.split('.')[1]!, 'base64url').toString()) as { sid: string }).sid;

describe('a wrong refresh token', () => {
  test('is refused without waiting for the lock of the session', async () => {
    const session = await newSession();
    const holder = new pg.Client({ connectionString: testApp.ctx.config.databaseUrl });
    await holder.connect();
    try {
      await holder.query('begin');
      await holder.query('select from sessions where id = $1 for update', [sessionOf(session)]);
      for (const refreshToken of [newSecret(), `2.${newSecret()}`])
        await expect(refresh({ ...session, refreshToken })).rejects.toMatchObject({ code: 'REFRESH_REJECTED' });
    } finally {
      await holder.end();
    }
  });

  test(
    'is rate-limited after ten from one network; the valid token works from another network',
    { tags: ['thorough'] },
    async () => {
      const [session, bystander] = [await newSession(), await newSession()];
      const guess = (last: number) => refresh({ ...session, refreshToken: newSecret() }, `2001:db8:7::${last}`);
      for (let last = 1; last <= 10; last++)
        await expect(guess(last)).rejects.toMatchObject({ code: 'REFRESH_REJECTED' });
      const refused = { status: 429, code: 'RATE_LIMITED' };
      await expect(guess(11)).rejects.toMatchObject(refused);
      expect(await refresh(bystander, '2001:db8:7::1')).toBeDefined();
      const next = await refresh(session, '198.51.100.7');
      expect(await isAccepted(next.accessToken)).toBe(true);
      await testApp.database.query(`update rate_limits set expire = 0 where key like 'refresh-session:%'`);
      expect(await refresh(next, '2001:db8:7::1')).toBeDefined();
    },
  );

  test('counts for its network over all sessions; a valid token from there still works', async () => {
    const user = await createUser(testApp);
    const ip = '203.0.113.99';
    await expect(refresh({ ...(await enter(user.email)), refreshToken: newSecret() }, ip)).rejects.toMatchObject({
      code: 'REFRESH_REJECTED',
    });
    await testApp.database.query(`update rate_limits set points = 300 where key = $1`, [`refresh-network:${ip}`]);
    const session = await enter(user.email);
    await expect(refresh({ ...session, refreshToken: newSecret() }, ip)).rejects.toMatchObject({
      code: 'RATE_LIMITED',
    });
    expect(await refresh(session, ip)).toBeDefined();
  });
});

test('an access token whose subject is no UUID causes a 401', async () => {
  const claims = { sid: randomUUID() };
  for (const subject of ['root', '1', '']) {
    const token = await new SignJWT(claims)
      .setProtectedHeader({ alg: 'HS256' })
      .setIssuer('cellhop')
      .setAudience('cellhop-api')
      .setSubject(subject)
      .setExpirationTime('5m')
      .sign(deriveKey(testApp.ctx.config.secretKeys, 'access-token'));
    expect(await isAccepted(token)).toBe('UNAUTHORIZED');
    await expect(refresh({ accessToken: token, refreshToken: newSecret() })).rejects.toMatchObject({ status: 400 });
  }
});

test('a token of a time that a restore of the database has lost ends its session, and is no theft', async () => {
  const user = await createUser(testApp);
  const first = await enter(user.email);
  const sessionId = sessionOf(first);
  const [row] = await testApp.database.query<{ refresh_token_hash: Buffer }>(
    'select refresh_token_hash from sessions where id = $1',
    [sessionId],
  );
  const last = await refresh(await refresh(first));
  await testApp.database.query(
    'update sessions set refresh_token_hash = $2, previous_token_hash = null, generation = 1 where id = $1',
    [sessionId, row!.refresh_token_hash],
  );
  await expect(refresh(last)).rejects.toMatchObject({ code: 'REFRESH_REJECTED' });
  await expect(refresh(first)).rejects.toMatchObject({ code: 'REFRESH_REJECTED' });
  const reused = `select from audit_log where user_id = $1 and action = 'REFRESH_TOKEN_REUSED'`;
  expect(await testApp.database.query(reused, [user.id])).toEqual([]);
  expect(await isAccepted((await enter(user.email)).accessToken)).toBe(true);
});
