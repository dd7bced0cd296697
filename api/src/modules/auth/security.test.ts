import {
  changePassword,
  listSessions,
  recoverPassword,
  refreshTokens,
  revokeOtherSessions,
  revokeSession,
  setPassword,
  signIn,
  type SignInResult,
  signUp,
} from '@cellhop/contract/auth';
import { getProfile } from '@cellhop/contract/users';
import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { entriesOf } from '../../../test/audit-log.ts';
import { createUser, PASSWORD, type TestUser } from '../../../test/factories.ts';
import { mailsTo, newestLink, startTestAppWithMail } from '../../../test/mail.ts';
import type { TestApp } from '../../../test/test-app.ts';
import { deleteExpired } from './auth.service.ts';
import { createTestClient } from '../../../test/test-client.ts';

const NEW_PASSWORD = 'a password that is new';
const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
const CURL = 'curl/8.5.0';

let testApp: TestApp;
beforeAll(async () => {
  testApp = await startTestAppWithMail();
});
afterAll(() => testApp.stop());

async function enter(email: string, userAgent = FIREFOX, ip = '203.0.113.7', password = PASSWORD) {
  const headers = { 'user-agent': userAgent, 'x-forwarded-for': ip };
  return (await testApp.call(signIn, { body: { email, password } }, { headers })).data;
}
const as = ({ accessToken }: SignInResult) =>
  createTestClient({ baseUrl: testApp.url, headers: () => ({ authorization: `Bearer ${accessToken}` }) });
const isAlive = (session: SignInResult) =>
  as(session)(getProfile, {}).then(
    () => true,
    () => false,
  );

const change = (user: Pick<TestUser, 'call'>, currentPassword: string, password = NEW_PASSWORD) =>
  user.call(changePassword, { body: { currentPassword, password } });
const REFUSED = (message: string) => ({
  status: 400,
  code: 'VALIDATION',
  body: { details: [{ path: 'body.password', message }] },
});
const newSignIns = async (user: TestUser) =>
  (await mailsTo(testApp, user.email)).filter(({ subject }) => subject === 'New sign-in to Cellhop');

describe('the list of sessions', () => {
  test("shows device, address and last use of the user's own sessions, the current one first", async () => {
    const user = await createUser(testApp);
    const older = await enter(user.email, CURL, '198.51.100.9');
    const newer = await enter(user.email, FIREFOX, '2001:db8::5');
    await enter((await createUser(testApp)).email);
    await testApp.database.query(
      `update sessions set rotated_at = rotated_at - interval '1 hour' where user_id = $1 and device = 'curl'`,
      [user.id],
    );
    const { data } = await as(older)(listSessions, {});
    expect(data.map(({ device, ip, isCurrent }) => [device, ip, isCurrent])).toEqual([
      ['curl', '198.51.100.9', true],
      ['Firefox on Linux', '2001:db8::5', false],
      ['Unknown device', '127.0.0.1', false],
    ]);
    expect(Date.parse(data[1]!.usedAt) - Date.parse(data[0]!.usedAt)).toBeGreaterThan(3_500_000);

    const { accessToken, refreshToken } = older;
    await testApp.call(
      refreshTokens,
      { body: { accessToken, refreshToken } },
      { headers: { 'x-forwarded-for': '198.51.100.10' } },
    );
    const [refreshed] = (await as(older)(listSessions, {})).data;
    expect(refreshed).toMatchObject({ device: 'curl', ip: '198.51.100.10' });
    expect(Date.parse(refreshed!.usedAt)).toBeGreaterThan(Date.parse(data[0]!.usedAt));
    expect(await isAlive(newer)).toBe(true);
  });

  test('shows sessions from before this feature, and invalid addresses', async () => {
    const user = await createUser(testApp);
    await testApp.database.query(`update sessions set ip = null where user_id = $1`, [user.id]);
    expect((await user.call(listSessions, {})).data).toMatchObject([{ ip: '', device: 'Unknown device' }]);
    const odd = await enter(user.email, '', 'nonsense');
    expect((await as(odd)(listSessions, {})).data[0]).toMatchObject({ ip: '', device: 'Unknown device' });
  });
});

describe('ending sessions', () => {
  test('one: it is signed out at once, the others stay; a second time it is not found', async () => {
    const user = await createUser(testApp);
    const [one, two] = [await enter(user.email), await enter(user.email)];
    const { id } = (await as(one)(listSessions, {})).data[0]!;
    expect((await user.call(revokeSession, { params: { id } })).data).toEqual({ id });
    expect([await isAlive(one), await isAlive(two)]).toEqual([false, true]);
    const NOT_FOUND = { status: 404, code: 'NOT_FOUND', message: 'Session not found' };
    await expect(user.call(revokeSession, { params: { id } })).rejects.toMatchObject(NOT_FOUND);
    await expect(user.call(revokeSession, { params: { id: randomUUID() } })).rejects.toMatchObject(NOT_FOUND);
    expect((await entriesOf(testApp, user.id)).at(-1)).toMatchObject({
      action: 'SESSION_REVOKED',
      actorId: user.id,
      details: { sessionId: id },
    });
  });

  test('of another user is not possible', async () => {
    const [owner, stranger] = [await createUser(testApp), await createUser(testApp)];
    const { id } = (await owner.call(listSessions, {})).data[0]!;
    await expect(stranger.call(revokeSession, { params: { id } })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await owner.call(getProfile, {});
  });

  test('all others: the current one continues', async () => {
    const user = await createUser(testApp);
    const sessions = [await enter(user.email), await enter(user.email), await enter(user.email)];
    expect((await as(sessions[1]!)(revokeOtherSessions, {})).data).toEqual({ revokedCount: 3 });
    expect(await Promise.all(sessions.map(isAlive))).toEqual([false, true, false]);
    expect((await as(sessions[1]!)(revokeOtherSessions, {})).data).toEqual({ revokedCount: 0 });
  });
});

describe('changing the password', () => {
  test('requires the old one, ends all other sessions and recovery links, and sends a mail', async () => {
    const user = await createUser(testApp, { languageCode: 'ru' });
    const elsewhere = await enter(user.email);
    await testApp.call(recoverPassword, { body: { email: user.email } });
    const code = (await newestLink(testApp, user.email)).searchParams.get('code')!;
    const { data } = await change(user, PASSWORD);
    expect(Math.abs(Date.parse(data.changedAt) - Date.now())).toBeLessThan(60_000);
    expect(await isAlive(elsewhere)).toBe(false);
    await user.call(getProfile, {});
    await expect(enter(user.email)).rejects.toMatchObject({ code: 'INVALID_CREDENTIALS' });
    await enter(user.email, FIREFOX, '203.0.113.7', NEW_PASSWORD);
    await expect(testApp.call(setPassword, { body: { code, password: 'yet another password' } })).rejects.toMatchObject(
      { code: 'SESSION_NOT_FOUND' },
    );
    const mails = await mailsTo(testApp, user.email);
    const mail = mails.find(({ subject }) => subject === 'Пароль для Cellhop изменён')!;
    expect(mail.links).toEqual(['http://localhost:3000/restore-access']);
    expect(mail.text).toContain('Адрес: 127.0.0.1');
  });

  test('is rate-limited: after five wrong ones the right one is refused too, while sign-in still works', async () => {
    const user = await createUser(testApp);
    for (let failure = 0; failure < 5; failure++)
      await expect(change(user, 'a wrong password')).rejects.toMatchObject({
        status: 400,
        code: 'WRONG_PASSWORD',
        message: 'Wrong password',
      });
    await expect(change(user, PASSWORD)).rejects.toMatchObject({ status: 429, code: 'RATE_LIMITED' });
    await enter(user.email);
  });

  test('is not blocked by an attacker at sign-in', async () => {
    const user = await createUser(testApp);
    for (let failure = 0; failure < 5; failure++)
      await expect(enter(user.email, FIREFOX, '198.51.100.1', 'a wrong password')).rejects.toMatchObject({
        status: 400,
      });
    await expect(enter(user.email)).rejects.toMatchObject({ code: 'RATE_LIMITED' });
    await change(user, PASSWORD);
  });

  test('concurrently with the old one works once', async () => {
    const user = await createUser(testApp);
    const results = await Promise.allSettled(
      [1, 2, 3].map((number) => change(user, PASSWORD, `${NEW_PASSWORD} ${number}`)),
    );
    expect(results.filter((result) => result.status === 'fulfilled')).toHaveLength(1);
  });

  test('by recovery causes a mail too', async () => {
    const user = await createUser(testApp);
    await testApp.call(recoverPassword, { body: { email: user.email } });
    const code = (await newestLink(testApp, user.email)).searchParams.get('code')!;
    await testApp.call(setPassword, { body: { code, password: NEW_PASSWORD } });
    expect((await mailsTo(testApp, user.email))[0]!.subject).toBe('Your Cellhop password was changed');
  });
});

describe('common passwords', () => {
  const COMMON = REFUSED('is one of the most common passwords; choose another one');

  test.each(['password', 'PassWord1', '12345678', 'qwertyuiop', 'iloveyou'])(
    '%s is refused everywhere',
    { tags: ['thorough'] },
    async (password) => {
      const user = await createUser(testApp);
      const email = `${randomBytes(6).toString('hex')}@example.com`;
      const body = { languageCode: 'en', email, password, referralCode: user.referralCode } as const;
      await expect(testApp.call(signUp, { body })).rejects.toMatchObject(COMMON);
      await expect(user.call(changePassword, { body: { currentPassword: PASSWORD, password } })).rejects.toMatchObject(
        COMMON,
      );
      await testApp.call(recoverPassword, { body: { email: user.email } });
      const code = (await newestLink(testApp, user.email)).searchParams.get('code')!;
      await expect(testApp.call(setPassword, { body: { code, password } })).rejects.toMatchObject(COMMON);
      // A refusal does not use the link up.
      await testApp.call(setPassword, { body: { code, password: NEW_PASSWORD } });
    },
  );

  test('and the email itself are refused', async () => {
    const user = await createUser(testApp);
    const body = { currentPassword: PASSWORD, password: user.email.toUpperCase() };
    await expect(user.call(changePassword, { body })).rejects.toMatchObject(REFUSED('must not be the email'));
  });
});

describe('a sign-in from an unknown device', () => {
  test('causes a mail with device and address; the first sign-in and known devices do not', async () => {
    const user = await createUser(testApp);
    expect(await newSignIns(user)).toEqual([]);
    await enter(user.email, FIREFOX, '203.0.113.7');
    const [mail] = await newSignIns(user);
    expect(mail!.text).toContain('Device: Firefox on Linux\nAddress: 203.0.113.7\n');
    expect(mail!.links).toEqual(['http://localhost:3000/restore-access']);
    await enter(user.email, FIREFOX.replaceAll('140', '141'), '203.0.113.99');
    expect(await newSignIns(user)).toHaveLength(1);
  });

  test.each([
    ['another device in the same network', CURL, '203.0.113.7', 2],
    ['the same device in another network', FIREFOX, '203.0.114.7', 2],
    ['the same device at a neighbour of it', FIREFOX, '203.0.113.200', 1],
  ])('%s', async (_name, userAgent, ip, mails) => {
    const user = await createUser(testApp);
    await enter(user.email, FIREFOX, '203.0.113.7');
    await enter(user.email, userAgent, ip);
    expect(await newSignIns(user)).toHaveLength(mails);
  });

  test('an IPv6 network is a /48', async () => {
    const user = await createUser(testApp);
    await enter(user.email, FIREFOX, '2001:db8:1:2::3');
    await enter(user.email, FIREFOX, '2001:db8:1:ffff::3');
    expect(await newSignIns(user)).toHaveLength(1);
    await enter(user.email, FIREFOX, '2001:db8:2:2::3');
    expect(await newSignIns(user)).toHaveLength(2);
  });

  test('is not recorded if the password was wrong', async () => {
    const user = await createUser(testApp);
    await expect(enter(user.email, FIREFOX, '203.0.113.7', 'a wrong password')).rejects.toMatchObject({ status: 400 });
    expect(await newSignIns(user)).toEqual([]);
  });

  test('devices are deleted after a year, except the newest of each user', async () => {
    const user = await createUser(testApp);
    const age = (days: number) =>
      testApp.database.query(
        'update known_devices set seen_at = seen_at - make_interval(days => $2) where user_id = $1',
        [user.id, days],
      );
    const places = async () =>
      (
        await testApp.database.query<{ device: string }>(
          'select device from known_devices where user_id = $1 order by seen_at',
          [user.id],
        )
      ).map(({ device }) => device);
    await age(10);
    await enter(user.email, CURL);
    await deleteExpired(testApp.ctx);
    expect(await places()).toEqual(['Unknown device', 'curl']);
    await age(356);
    await deleteExpired(testApp.ctx);
    expect(await places()).toEqual(['curl']);
    await age(1000);
    await deleteExpired(testApp.ctx);
    expect(await places()).toEqual(['curl']);
  });
});
