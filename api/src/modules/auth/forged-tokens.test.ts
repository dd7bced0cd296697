import { listSessions, refreshTokens, revokeSession, signIn, type SignInResult } from '@cellhop/contract/auth';
import { LIVE_EVENTS_PATH } from '@cellhop/contract/live.values';
import { listUsers } from '@cellhop/contract/staff/users';
import { getProfile } from '@cellhop/contract/users';
import { SignJWT } from 'jose';
import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createUser, PASSWORD, type TestUser } from '../../../test/factories.ts';
import { startSecondApp, startTestApp, type TestApp } from '../../../test/test-app.ts';
import { deriveKey, type SecretKeys } from '../../secrets/keys.ts';

let testApp: TestApp;
let user: TestUser;
let session: SignInResult;
beforeAll(async () => {
  testApp = await startTestApp();
  user = await createUser(testApp, { roleName: 'ADMIN' });
  session = (await testApp.call(signIn, { body: { email: user.email, password: PASSWORD } })).data;
});
afterAll(() => testApp.stop());

const nowSeconds = () => Math.floor(Date.now() / 1000);
const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const claims = () => JSON.parse(Buffer.from(session.accessToken.split('.')[1]!, 'base64url').toString()) as object;
const key = (purpose: string) => deriveKey(testApp.ctx.config.secretKeys, purpose);
const signed = (
  payload: object,
  header: { alg: string; [name: string]: unknown } = { alg: 'HS256' },
  purpose = 'access-token',
) => new SignJWT({ ...claims(), ...payload }).setProtectedHeader(header).sign(key(purpose));
/** By hand, because libraries refuse to sign some headers. */
const signedAs = (header: object) => {
  const content = `${part(header)}.${part(claims())}`;
  return `${content}.${createHmac('sha256', key('access-token')).update(content).digest('base64url')}`;
};

/** Wherever a token is accepted: of users, of staff, the event stream, and the exchange for a new one. */
async function statusesWith(token: string): Promise<Record<string, number>> {
  const headers = { authorization: `Bearer ${token}` };
  const statusOf = async (path: string) => {
    const reading = new AbortController();
    const { status } = await fetch(testApp.url + path, { headers, signal: reading.signal });
    reading.abort();
    return status;
  };
  const exchanged = await fetch(testApp.url + refreshTokens.url, {
    method: refreshTokens.method,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ accessToken: token, refreshToken: session.refreshToken }),
  });
  await testApp.database.query('truncate rate_limits');
  return {
    user: await statusOf(getProfile.url),
    staff: await statusOf(listUsers.url),
    events: await statusOf(LIVE_EVENTS_PATH),
    refresh: exchanged.status,
  };
}

const ACCEPTED = { user: 200, staff: 200, events: 200, refresh: 200 };
const REFUSED = { user: 401, staff: 401, events: 401, refresh: 400 };

describe('an access token is refused everywhere', () => {
  test.each<[string, () => string | Promise<string>]>([
    ['without a signature', () => session.accessToken.split('.').slice(0, 2).join('.') + '.'],
    ['with the algorithm none', () => `${part({ alg: 'none', typ: 'JWT' })}.${part(claims())}.`],
    ['with the algorithm nOnE and a signature', () => signedAs({ alg: 'nOnE' })],
    ['with an algorithm of public keys, signed by a secret', () => signedAs({ alg: 'RS256' })],
    ['with a longer hash', () => signed({}, { alg: 'HS512' })],
    [
      'with a key of its own in the header',
      () => signedAs({ alg: 'HS256', jwk: { kty: 'oct', k: 'eA' }, crit: ['jwk'] }),
    ],
    ['with the key of device tokens', () => signed({}, undefined, 'device-token')],
    ['with the key of refresh tokens', () => signed({}, undefined, 'refresh-generation')],
    ['for another audience', () => signed({ aud: 'cellhop-gateway' })],
    ['of another issuer', () => signed({ iss: 'https://cellhop' })],
    ['that never expires', () => signed({ exp: undefined })],
    ['whose expiry is a text', () => signed({ exp: '9999999999' })],
    ['for a later time', () => signed({ nbf: nowSeconds() + 3600 })],
    [
      'with a changed user',
      async () =>
        session.accessToken.replace(/\.[^.]+\./, `.${part({ ...claims(), sub: (await createUser(testApp)).id })}.`),
    ],
    ['that is a refresh token', () => session.refreshToken],
    ['that is a device token', () => session.deviceToken],
    ['twice', () => `${session.accessToken}.${session.accessToken}`],
  ])('%s', async (_, forge) => {
    expect(await statusesWith(await forge())).toEqual(REFUSED);
    // Guesses do not end the session.
    expect((await user.call(listSessions, {})).data).toHaveLength(2);
  });
});

const signInAs = async ({ email }: TestUser) => {
  session = (await testApp.call(signIn, { body: { email, password: PASSWORD } })).data;
  return session.accessToken;
};
const newAdmin = () => createUser(testApp, { roleName: 'ADMIN' });

describe('a genuine access token', () => {
  test('that another clock issued in the future is worth as much as its session', async () => {
    const admin = await newAdmin();
    await signInAs(admin);
    const ahead = await signed({ iat: nowSeconds() + 3600, exp: nowSeconds() + 4500 });
    expect(await statusesWith(ahead)).toEqual(ACCEPTED);
    const { sid: id } = claims() as { sid: string };
    await admin.call(revokeSession, { params: { id } });
    expect(await statusesWith(ahead)).toEqual(REFUSED);
  });

  test('that has expired is only good for a new one', async () => {
    await signInAs(await newAdmin());
    const expired = await signed({ exp: nowSeconds() - 1 });
    expect(await statusesWith(expired)).toEqual({ ...REFUSED, refresh: 200 });
  });

  test('of a user who lost their role, who was blocked or deleted is refused at once', async () => {
    const { id, ...admin } = await newAdmin();
    const token = await signInAs({ id, ...admin });
    const set = (change: string) => testApp.database.query(`update users set ${change} where id = $1`, [id]);
    await set(`role_name = 'USER'`);
    expect(await statusesWith(token)).toEqual({ ...ACCEPTED, staff: 403 });
    await set(`status = 'BLOCKED'`);
    expect(await statusesWith(token)).toEqual({ user: 403, staff: 403, events: 403, refresh: 403 });
    await set(`status = 'DELETED', deleted_at = now()`);
    expect(await statusesWith(token)).toEqual(REFUSED);
  });

  test('of an older key is accepted until that key is removed', async () => {
    const token = await signInAs(await newAdmin());
    const { secretKeys } = testApp.ctx.config;
    const statusAt = async (keys: SecretKeys) => {
      const app = await startSecondApp(testApp, { secretKeys: keys });
      const { status } = await fetch(app.url + getProfile.url, { headers: { authorization: `Bearer ${token}` } });
      await app.stop();
      return status;
    };
    expect(await statusAt(['a newer key of at least 32 characters', ...secretKeys])).toBe(200);
    expect(await statusAt(['a newer key of at least 32 characters'])).toBe(401);
  });
});
