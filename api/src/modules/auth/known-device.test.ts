/** @module-tag thorough */
import { changePassword, recoverPassword, setPassword, signIn, type SignInResult } from '@cellhop/contract/auth';
import { DEVICE_TOKEN_HEADER } from '@cellhop/contract/auth.values';
import { randomBytes } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createUser, PASSWORD } from '../../../test/factories.ts';
import { newestLink, startTestAppWithMail } from '../../../test/mail.ts';
import { startSecondApp, type TestApp } from '../../../test/test-app.ts';
import type { Db } from '../../db/db.ts';
import { signIn as authSignIn } from './auth.service.ts';
import { newDeviceToken, readDeviceToken } from './tokens.ts';
import { limitAttempts, ATTEMPTS_PER_NETWORK_MAX } from './passwords.ts';

const WRONG = 'a wrong password';
const NEW_PASSWORD = 'a password that is new';

let testApp: TestApp;
beforeAll(async () => {
  testApp = await startTestAppWithMail();
});
afterAll(() => testApp.stop());

interface From {
  deviceToken?: string | undefined;
  ip?: string;
}
const enter = async (
  email: string,
  password = PASSWORD,
  { deviceToken, ip = '198.51.100.1' }: From = {},
  test = testApp,
): Promise<SignInResult> => {
  const headers = { 'x-forwarded-for': ip, ...(deviceToken !== undefined && { [DEVICE_TOKEN_HEADER]: deviceToken }) };
  return (await test.call(signIn, { body: { email, password } }, { headers })).data;
};
const random = (bytes: number) => randomBytes(bytes).toString('base64url');
/** An attacker uses up the failed attempts of the account. */
const lock = async (email: string) => {
  for (let failure = 0; failure < 5; failure++)
    await expect(enter(email, WRONG, { ip: '203.0.113.5' })).rejects.toMatchObject({ code: 'INVALID_CREDENTIALS' });
  await expect(enter(email)).rejects.toMatchObject({ code: 'RATE_LIMITED' });
};

describe('a device that has signed in before', () => {
  test('can sign in after an attacker has used up the failed attempts of the account', async () => {
    const { email } = await createUser(testApp);
    const { deviceToken } = await enter(email);
    await lock(email);
    expect((await enter(email, PASSWORD, { deviceToken, ip: '192.0.2.77' })).profile.email).toBe(email);
    // The attacker stays locked out.
    await expect(enter(email, WRONG, { ip: '203.0.113.5' })).rejects.toMatchObject({ code: 'RATE_LIMITED' });
  });

  test('has five failed attempts of its own', async () => {
    const { email } = await createUser(testApp);
    const { deviceToken } = await enter(email);
    for (let failure = 0; failure < 5; failure++)
      await expect(enter(email, WRONG, { deviceToken })).rejects.toMatchObject({ code: 'INVALID_CREDENTIALS' });
    await expect(enter(email, PASSWORD, { deviceToken })).rejects.toMatchObject({ code: 'RATE_LIMITED' });
    expect((await enter(email)).deviceToken).toBeDefined();
  });

  test('is unknown to other accounts, and with a modified or invented token', async () => {
    const [victim, attacker] = [await createUser(testApp), await createUser(testApp)];
    const own = (await enter(victim.email)).deviceToken;
    const [id, proof] = own.split('.') as [string, string];
    const foreign = (await enter(attacker.email)).deviceToken;
    await lock(victim.email);
    for (const deviceToken of [
      foreign,
      `${random(16)}.${proof}`,
      `${id}.${random(32)}`,
      id,
      `${own}x`,
      '',
      'x'.repeat(4000),
    ])
      await expect(enter(victim.email, PASSWORD, { deviceToken })).rejects.toMatchObject({ code: 'RATE_LIMITED' });
  });

  test.each(['a change of the password', 'a recovery'])('is unknown after %s', async (how) => {
    const user = await createUser(testApp);
    const { deviceToken } = await enter(user.email);
    if (how === 'a recovery') {
      await testApp.call(recoverPassword, { body: { email: user.email } });
      const code = (await newestLink(testApp, user.email)).searchParams.get('code')!;
      await testApp.call(setPassword, { body: { code, password: NEW_PASSWORD } });
    } else await user.call(changePassword, { body: { currentPassword: PASSWORD, password: NEW_PASSWORD } });
    await lock(user.email);
    await expect(enter(user.email, NEW_PASSWORD, { deviceToken })).rejects.toMatchObject({ code: 'RATE_LIMITED' });
  });

  test('is subject to the limit of its network in production', async () => {
    const user = await createUser(testApp);
    const { deviceToken } = await enter(user.email);
    const production = await startSecondApp(testApp, { isDevelopment: false });
    try {
      const ip = '203.0.113.200';
      await expect(enter('nobody@example.com', WRONG, { ip }, production)).rejects.toMatchObject({ status: 400 });
      await testApp.database.query(`update rate_limits set points = 30 where key = $1`, [`sign-in-network:${ip}`]);
      const refused = { code: 'RATE_LIMITED' };
      await expect(enter(user.email, PASSWORD, { deviceToken, ip }, production)).rejects.toMatchObject(refused);
    } finally {
      await production.stop();
    }
  });
});

test('a device token is accepted with every key of the key ring', () => {
  const owner = { userId: 'a user', passwordHash: 'a hash' };
  const token = newDeviceToken(['old'], owner);
  expect(readDeviceToken(['new', 'old'], owner, token)).toBe(token.slice(0, 22));
  expect(readDeviceToken(['new'], owner, token)).toBeUndefined();
});

describe('when one network has the maximum of sign-ins in progress', () => {
  test('its next one is refused with Retry-After without a query, and other networks can sign in', async () => {
    const { email } = await createUser(testApp);
    const gate = new EventEmitter();
    gate.setMaxListeners(0);
    // In several /56, because each has less than all of it.
    const attempts = Array.from({ length: ATTEMPTS_PER_NETWORK_MAX }, (_, index) =>
      limitAttempts(`2001:db8:9:${index % 4}00::1`, () => once(gate, 'open')),
    );
    const db: Db = { query: (text: string) => Promise.reject(new Error(text)) };
    const client = { ip: '2001:db8:9::1', userAgent: undefined, requestId: 'a request' };
    await expect(
      authSignIn({ ...testApp.ctx, db }, { email, password: PASSWORD }, undefined, client),
    ).rejects.toMatchObject({ code: 'RATE_LIMITED' });
    const response = await fetch(`${testApp.url}${signIn.url}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': '2001:db8:9::77' },
      body: JSON.stringify({ email, password: PASSWORD }),
    });
    expect(response.status).toBe(429);
    expect(response.headers.get('retry-after')).toBe('1');
    expect((await enter(email, PASSWORD, { ip: '2001:db8:a::1' })).profile.email).toBe(email);
    const metrics = await (await fetch(`${testApp.url}/metrics`)).text();
    expect(metrics).toContain('password_hashes{state="refused"} 2');
    gate.emit('open');
    await Promise.all(attempts);
    expect((await enter(email, PASSWORD, { ip: '2001:db8:9::1' })).profile.email).toBe(email);
  });
});
