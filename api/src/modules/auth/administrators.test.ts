import { setPassword, signIn, signUp } from '@cellhop/contract/auth';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { entriesOf } from '../../../test/audit-log.ts';
import { createUser, PASSWORD } from '../../../test/factories.ts';
import { activateSecondFactor } from '../../../test/second-factor.ts';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { makeAdministrator } from './administrators.service.ts';

let testApp: TestApp;
beforeAll(async () => {
  testApp = await startTestApp({ isDevelopment: false, smtpUrl: 'smtp://127.0.0.1:1' });
});
afterAll(() => testApp.stop());

const make = (email: string, password?: string, resetsSecondFactor = false) =>
  makeAdministrator(testApp.ctx, { email, password, resetsSecondFactor });
const enter = async (email: string, password: string) =>
  (await testApp.call(signIn, { body: { email, password } })).data.profile;

test('the first administrator sets a password with the link, and others sign up with the referral code', async () => {
  const { isNew, referralCode, passwordLink } = await make('Boss@Example.com');
  expect(isNew).toBe(true);
  const link = new URL(passwordLink!);
  expect(`${link.origin}${link.pathname}`).toBe('http://localhost:3000/restore-access/set-password');
  await testApp.call(setPassword, { body: { code: link.searchParams.get('code')!, password: PASSWORD } });
  const profile = await enter('boss@example.com', PASSWORD);
  expect(profile.role.name).toBe('ADMIN');
  expect((await entriesOf(testApp, profile.id))[0]).toMatchObject({
    action: 'ADMINISTRATOR_MADE',
    actorId: null,
    ip: null,
    details: { isNew: true, hasNewPassword: false },
  });
  const body = { languageCode: 'en', email: 'new@example.com', password: PASSWORD, referralCode } as const;
  await testApp.call(signUp, { body });
});

test('an administrator with a given password can sign in at once; common passwords are refused', async () => {
  await expect(make('direct@example.com', 'password1')).rejects.toMatchObject({ code: 'VALIDATION' });
  expect(await make('direct@example.com', PASSWORD)).toMatchObject({ isNew: true, passwordLink: undefined });
  expect((await enter('direct@example.com', PASSWORD)).role.name).toBe('ADMIN');
});

test('an existing account gets the role, is confirmed and unblocked, and keeps its password', async () => {
  const user = await createUser(testApp);
  await testApp.database.query(`update users set status = 'BLOCKED', email_confirmed_at = null where id = $1`, [
    user.id,
  ]);
  expect(await make(user.email)).toMatchObject({ isNew: false, referralCode: user.referralCode });
  expect(await enter(user.email, PASSWORD)).toMatchObject({ id: user.id, role: { name: 'ADMIN' } });
});

test('a new password ends the sessions of the old one', async () => {
  const user = await createUser(testApp);
  await make(user.email, 'a password that is new');
  await expect(enter(user.email, PASSWORD)).rejects.toMatchObject({ code: 'INVALID_CREDENTIALS' });
  const [row] = await testApp.database.query<{ open: number }>(
    'select count(*)::int as open from sessions where user_id = $1 and revoked_at is null',
    [user.id],
  );
  expect(row!.open).toBe(0);
});

test('a lost second factor is disabled only on request', async () => {
  const user = await createUser(testApp);
  await activateSecondFactor(testApp, user);
  await make(user.email);
  await expect(enter(user.email, PASSWORD)).rejects.toMatchObject({ code: 'SECOND_FACTOR_REQUIRED' });
  await make(user.email, undefined, true);
  expect((await enter(user.email, PASSWORD)).secondFactor).toBe('OFF');
});

test('a deleted account is not taken over', async () => {
  const user = await createUser(testApp);
  await testApp.database.query(`update users set status = 'DELETED' where id = $1`, [user.id]);
  await expect(make(user.email)).rejects.toThrow('was deleted');
});
