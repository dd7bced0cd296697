import {
  changePassword,
  logout,
  refreshTokens,
  revokeSession,
  signIn,
  type SignInResult,
  type Tokens,
} from '@cellhop/contract/auth';
import { type ApiError } from '@cellhop/contract/client';
import { getProfile } from '@cellhop/contract/users';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { entriesOf } from '../../../test/audit-log.ts';
import { createUser, PASSWORD } from '../../../test/factories.ts';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { issueTokens, newSecret } from './tokens.ts';
import { scaled } from '../../../../tools/test-scale.ts';
import { createTestClient } from '../../../test/test-client.ts';

const ATTEMPTS = scaled(10, 100);

let testApp: TestApp;
beforeAll(async () => {
  testApp = await startTestApp();
});
afterAll(() => testApp.stop());

const enter = async (email: string, password = PASSWORD): Promise<SignInResult> =>
  (await testApp.call(signIn, { body: { email, password } })).data;
const codeOf = (entering: Promise<unknown>): Promise<string> =>
  entering.then(
    () => 'in',
    (error: ApiError) => error.code,
  );
const refresh = async ({ accessToken, refreshToken }: Tokens): Promise<Tokens> =>
  (await testApp.call(refreshTokens, { body: { accessToken, refreshToken } })).data;
const as = ({ accessToken }: { accessToken: string }) =>
  createTestClient({ baseUrl: testApp.url, headers: () => ({ authorization: `Bearer ${accessToken}` }) });
const isAccepted = (tokens: Tokens) =>
  as(tokens)(getProfile, {}).then(
    () => true,
    (error: { code: string }) => error.code,
  );
const newSession = async () => enter((await createUser(testApp)).email);
const claimsOf = ({ accessToken }: Tokens) =>
  JSON.parse(Buffer.from(accessToken.split('.')[1]!, 'base64url').toString()) as Record<string, unknown>;
/** Moves the last rotation into the past. */
const waitSeconds = (tokens: Tokens, seconds: number) =>
  testApp.database.query(`update sessions set rotated_at = rotated_at - $2::int * interval '1 second' where id = $1`, [
    claimsOf(tokens)['sid'],
    seconds,
  ]);

describe('sign-in', () => {
  test('opens a session with a token of 15 minutes; the email is not case-sensitive', async () => {
    const user = await createUser(testApp);
    const session = await enter(user.email.toUpperCase());
    expect(session.expiredAccessTokenAt - Date.now()).toBeGreaterThan(14 * 60_000);
    expect(session.expiredAccessTokenAt - Date.now()).toBeLessThanOrEqual(15 * 60_000);
    expect(claimsOf(session)).toMatchObject({ sub: user.id, exp: session.expiredAccessTokenAt / 1000 });
    expect(session.profile.id).toBe(user.id);
  });

  test('stores neither the password nor the refresh token', async () => {
    const user = await createUser(testApp);
    const newPassword = 'another battery staple';
    await user.call(changePassword, { body: { currentPassword: PASSWORD, password: newPassword } });
    const { refreshToken } = await enter(user.email, newPassword);
    const [row] = await testApp.database.query<{ stored: string }>(
      `select users::text || sessions::text as stored from users join sessions on user_id = users.id where users.id = $1`,
      [user.id],
    );
    expect(row!.stored).toContain('$argon2id$v=19$m=19456,t=2,p=1$');
    for (const secret of [newPassword, refreshToken]) expect(row!.stored).not.toContain(secret);
  });

  test('responds to a wrong password and an unknown email with the same error', async () => {
    const { email } = await createUser(testApp);
    for (const unknown of [email, 'nobody@example.com'])
      await expect(enter(unknown, 'a wrong password')).rejects.toMatchObject({
        status: 400,
        code: 'INVALID_CREDENTIALS',
        message: 'Invalid credentials',
      });
  });

  test('refuses a deleted user', async () => {
    const user = await createUser(testApp);
    const session = await enter(user.email);
    await testApp.database.query(`update users set status = 'DELETED', deleted_at = now() where id = $1`, [user.id]);
    await expect(enter(user.email)).rejects.toMatchObject({ code: 'INVALID_CREDENTIALS' });
    expect(await isAccepted(session)).toBe('UNAUTHORIZED');
  });

  test.each(['email', 'password'])('requires %s', async (field) => {
    const body = { email: 'a@example.com', password: PASSWORD, [field]: undefined };
    await expect(testApp.call(signIn, { body: body })).rejects.toMatchObject({
      status: 400,
      body: { details: [{ path: `body.${field}` }] },
    });
  });
});

describe('guessing', () => {
  test('is stopped after 5 failures per account, with Retry-After, also for the right password', async () => {
    const [victim, bystander] = [await createUser(testApp), await createUser(testApp)];
    for (let failure = 0; failure < 5; failure++)
      await expect(enter(victim.email, 'a wrong password')).rejects.toMatchObject({ code: 'INVALID_CREDENTIALS' });
    const response = await fetch(`${testApp.url}${signIn.url}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email: victim.email, password: PASSWORD }),
    });
    expect(response.status).toBe(429);
    expect(await response.json()).toMatchObject({ code: 'RATE_LIMITED' });
    const seconds = Number(response.headers.get('retry-after'));
    expect(seconds).toBeGreaterThan(880);
    expect(seconds).toBeLessThanOrEqual(900);
    await enter(bystander.email);
  });

  test(
    'is stopped for concurrent attempts too: after the fifth failure the response does not reveal the result',
    { tags: ['long'] },
    async () => {
      const { email } = await createUser(testApp);
      let failures = 0;
      const guesses = Array.from({ length: ATTEMPTS - 1 }, async (_, index) => {
        const code = await codeOf(enter(email, `guess number ${index}`));
        if (code === 'INVALID_CREDENTIALS') failures += 1;
        return code;
      });
      await expect.poll(() => failures, { interval: 1 }).toBe(5);
      expect(await codeOf(enter(email))).toBe('RATE_LIMITED');
      const codes = await Promise.all(guesses);
      expect(codes.filter((code) => code === 'INVALID_CREDENTIALS')).toHaveLength(5);
      expect(codes.filter((code) => code === 'RATE_LIMITED')).toHaveLength(ATTEMPTS - 6);
    },
  );

  test('counters are reset by the right password and expire', async () => {
    const { email } = await createUser(testApp);
    const fail = () => expect(enter(email, 'a wrong password')).rejects.toMatchObject({ code: 'INVALID_CREDENTIALS' });
    for (let round = 0; round < 2; round++) {
      for (let failure = 0; failure < 4; failure++) await fail();
      await enter(email);
    }
    for (let failure = 0; failure < 5; failure++) await fail();
    await testApp.database.query(`update rate_limits set expire = 0 where key like 'sign-in-account:%'`);
    // The next window is twice as long.
    for (let failure = 0; failure < 5; failure++) await fail();
    const [window] = await testApp.database.query<{ seconds: number }>(
      `select max(expire) / 1000 - extract(epoch from now())::float8 as seconds from rate_limits
        where key like 'sign-in-account:%'`,
    );
    expect(window!.seconds).toBeGreaterThan(1700);
    expect(window!.seconds).toBeLessThan(1801);
  });
});

describe('refreshing', () => {
  test('gives a new pair, and the new pair works', async () => {
    const first = await newSession();
    const second = await refresh(first);
    expect(second.refreshToken).not.toBe(first.refreshToken);
    expect(second.accessToken).not.toBe(first.accessToken);
    expect(claimsOf(second)).toMatchObject({ sub: claimsOf(first)['sub'], sid: claimsOf(first)['sid'] });
    expect(await isAccepted(second)).toBe(true);
    expect(await isAccepted(await refresh(second))).toBe(true);
  });

  test('concurrently from many tabs returns the same pair', async () => {
    const session = await newSession();
    const pairs = await Promise.all(Array.from({ length: 8 }, () => refresh(session)));
    for (const pair of pairs) expect(pair).toEqual(pairs[0]);
    // Of the ten seconds of grace; the rest is for a busy machine.
    await waitSeconds(session, 3);
    const late = await refresh(session);
    expect(late.refreshToken).toBe(pairs[0]!.refreshToken);
    expect(await isAccepted(await refresh(late))).toBe(true);
  });

  test(
    'fifty times concurrently with one pair returns the same new pair, and the session stays open',
    { tags: ['thorough'] },
    async () => {
      const session = await newSession();
      const pairs = await Promise.all(Array.from({ length: 50 }, () => refresh(session)));
      expect(new Set(pairs.map((pair) => JSON.stringify(pair))).size).toBe(1);
      expect(pairs[0]!.refreshToken).not.toBe(session.refreshToken);
      expect(await isAccepted(pairs[0]!)).toBe(true);
      expect(await isAccepted(await refresh(pairs[49]!))).toBe(true);
    },
  );

  test('with a used token after the grace period ends the session', async () => {
    const stolen = await newSession();
    const current = await refresh(stolen);
    await waitSeconds(stolen, 11);
    await expect(refresh(stolen)).rejects.toMatchObject({
      status: 400,
      code: 'REFRESH_REJECTED',
      message: 'Refresh tokens bad request',
    });
    expect(await isAccepted(current)).toBe('UNAUTHORIZED');
    await expect(refresh(current)).rejects.toMatchObject({ code: 'REFRESH_REJECTED' });
  });

  test('with an older token ends the session at once, which is in the audit log', async () => {
    const first = await newSession();
    const third = await refresh(await refresh(first));
    await expect(refresh(first)).rejects.toMatchObject({ code: 'REFRESH_REJECTED' });
    expect(await isAccepted(third)).toBe('UNAUTHORIZED');
    expect((await entriesOf(testApp, first.profile.id)).at(-1)).toMatchObject({
      action: 'REFRESH_TOKEN_REUSED',
      actorId: null,
      details: { sessionId: claimsOf(first)['sid'] },
    });
  });

  test('while the session is being ended leaves no valid token', async () => {
    const user = await createUser(testApp);
    for (let round = 0; round < 10; round++) {
      const session = await enter(user.email);
      const id = claimsOf(session)['sid'] as string;
      const [, ...refreshed] = await Promise.allSettled([
        user.call(revokeSession, { params: { id } }),
        ...Array.from({ length: 4 }, async () => refresh(await refresh(session))),
      ]);
      for (const pair of [session, ...refreshed.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))]) {
        expect(await isAccepted(pair)).toBe('UNAUTHORIZED');
        await expect(refresh(pair)).rejects.toMatchObject({ code: 'REFRESH_REJECTED' });
      }
    }
  });

  test('works with an access token that has expired, and for 30 days', async () => {
    const session = await newSession();
    const { sub, sid } = claimsOf(session) as { sub: string; sid: string };
    const stale = await issueTokens(
      testApp.ctx.config.secretKeys,
      { userId: sub, sessionId: sid },
      session.refreshToken,
      new Date(Date.now() - 3_600_000),
    );
    expect(await isAccepted(stale)).toBe('UNAUTHORIZED');
    const next = await refresh(stale);
    const [row] = await testApp.database.query<{ days: number }>(
      `select extract(epoch from expired_at - now())::float8 / 86400 as days from sessions where id = $1`,
      [sid],
    );
    expect(row!.days).toBeCloseTo(30, 2);
    await testApp.database.query('update sessions set expired_at = now() where id = $1', [sid]);
    await expect(refresh(next)).rejects.toMatchObject({ code: 'REFRESH_REJECTED' });
  });

  test('refuses pairs that do not belong together, without ending their sessions', async () => {
    const user = await createUser(testApp);
    const [one, two] = [await enter(user.email), await enter(user.email)];
    const forged = await issueTokens(['another secret'], { userId: user.id, sessionId: user.id }, 'x', new Date());
    const pairs = [
      { ...one, refreshToken: two.refreshToken },
      { ...one, refreshToken: newSecret() },
      { ...one, refreshToken: 'nonsense' },
      { ...one, accessToken: forged.accessToken },
      { ...one, accessToken: 'nonsense' },
    ];
    for (const pair of pairs) await expect(refresh(pair)).rejects.toMatchObject({ code: 'REFRESH_REJECTED' });
    for (const session of [one, two]) expect(await isAccepted(await refresh(session))).toBe(true);
  });

  test('names a missing token', async () => {
    const body = { accessToken: 'x' } as never;
    await expect(testApp.call(refreshTokens, { body })).rejects.toMatchObject({
      body: { details: [{ path: 'body.refreshToken' }] },
    });
  });
});

describe('ending', () => {
  test('a log-out ends only this session', async () => {
    const { email } = await createUser(testApp);
    const [here, elsewhere] = [await enter(email), await enter(email)];
    const { data } = await as(here)(logout, {});
    expect(Date.parse(data.endedAt)).toBeLessThanOrEqual(Date.now());
    expect(await isAccepted(here)).toBe('UNAUTHORIZED');
    await expect(refresh(here)).rejects.toMatchObject({ code: 'REFRESH_REJECTED' });
    expect(await isAccepted(elsewhere)).toBe(true);
    await expect(testApp.call(logout, {})).rejects.toMatchObject({ status: 401, code: 'UNAUTHORIZED' });
  });

  test('a blocked user is signed out at once, and learns the reason only with the right password', async () => {
    const user = await createUser(testApp);
    const session = await enter(user.email);
    await testApp.database.query(`update users set status = 'BLOCKED' where id = $1`, [user.id]);
    expect(await isAccepted(session)).toBe('ACCOUNT_BLOCKED');
    await expect(enter(user.email)).rejects.toMatchObject({ status: 403, code: 'ACCOUNT_BLOCKED' });
    await expect(enter(user.email, 'a wrong password')).rejects.toMatchObject({ code: 'INVALID_CREDENTIALS' });
    await expect(refresh(session)).rejects.toMatchObject({ status: 403, code: 'ACCOUNT_BLOCKED' });
    await testApp.database.query(`update users set status = 'ACTIVE' where id = $1`, [user.id]);
    expect(await isAccepted(session)).toBe(true);
  });
});
