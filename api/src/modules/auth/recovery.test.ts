import { recoverPassword, resendRecovery, setPassword, signIn, signUp } from '@cellhop/contract/auth';
import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createUser, PASSWORD, type TestUser } from '../../../test/factories.ts';
import { mailsTo, newestLink, startTestAppWithMail } from '../../../test/mail.ts';
import type { TestApp } from '../../../test/test-app.ts';
import { getProfile } from '@cellhop/contract/users';

const NEW_PASSWORD = 'a password that is new';

let testApp: TestApp;
beforeAll(async () => {
  testApp = await startTestAppWithMail();
});
afterAll(() => testApp.stop());

const recover = async (email: string) => (await testApp.call(recoverPassword, { body: { email } })).data;
const resend = async (sessionId: string) => (await testApp.call(resendRecovery, { params: { sessionId } })).data;
const save = (code: string, password = NEW_PASSWORD) => testApp.call(setPassword, { body: { code, password } });
const enter = (email: string, password: string) => testApp.call(signIn, { body: { email, password } });
const newestCode = async ({ email }: TestUser) => (await newestLink(testApp, email)).searchParams.get('code')!;
const waitMinutes = (sessionId: string, minutes: number) =>
  testApp.database.query(
    `update mail_codes set created_at = created_at - $2::int * interval '1 minute',
                           expired_at = expired_at - $2::int * interval '1 minute'
      where email_hash = (select email_hash from mail_codes where id = $1) and purpose = 'RECOVER_PASSWORD'`,
    [sessionId, minutes],
  );

describe('recovery', () => {
  test("sends a link in the user's language; setting a new password with it ends all of their sessions", async () => {
    const user = await createUser(testApp, { languageCode: 'ru' });
    const answer = await recover(user.email.toUpperCase());
    expect(answer.nextSendingAllowedIn).toBeGreaterThan(Date.now() + 50_000);
    const [mail] = await mailsTo(testApp, user.email);
    expect(mail).toMatchObject({ subject: 'Новый пароль для Cellhop' });
    const link = await newestLink(testApp, user.email);
    expect(`${link.origin}${link.pathname}`).toBe('http://localhost:3000/restore-access/set-password');

    const { data } = await save(link.searchParams.get('code')!);
    expect(Date.parse(data.changedAt)).toBeLessThanOrEqual(Date.now());
    await expect(user.call(getProfile, {})).rejects.toMatchObject({ status: 401 });
    await expect(enter(user.email, PASSWORD)).rejects.toMatchObject({ code: 'INVALID_CREDENTIALS' });
    await enter(user.email, NEW_PASSWORD);
  });

  test(
    'responds to an unknown email like to a known one, also the second time and for a resend',
    { tags: ['thorough'] },
    async () => {
      const known = await createUser(testApp);
      for (const email of [known.email, `${randomBytes(6).toString('hex')}@example.com`]) {
        const first = await recover(email);
        expect(Object.keys(first)).toEqual(['nextSendingAllowedIn', 'sessionId']);
        await expect(recover(email)).rejects.toMatchObject({ status: 429, code: 'RESEND_INTERVAL' });
        await expect(resend(first.sessionId)).rejects.toMatchObject({ status: 429, code: 'RESEND_INTERVAL' });
        await waitMinutes(first.sessionId, 1);
        const second = await resend(first.sessionId);
        expect(second.sessionId).not.toBe(first.sessionId);
        expect(second.nextSendingAllowedIn).toBeGreaterThan(Date.now() + 110_000);
        expect(await mailsTo(testApp, email)).toHaveLength(email === known.email ? 2 : 0);
        await waitMinutes(first.sessionId, 31);
        await expect(resend(first.sessionId)).rejects.toMatchObject({ status: 410, code: 'SESSION_EXPIRED' });
      }
    },
  );

  test('sends at most six mails a day', async () => {
    const { email } = await createUser(testApp);
    let { sessionId } = await recover(email);
    for (const minutes of [1, 2, 5, 15]) {
      await waitMinutes(sessionId, minutes);
      ({ sessionId } = await resend(sessionId));
    }
    await waitMinutes(sessionId, 60);
    ({ sessionId } = await recover(email));
    await waitMinutes(sessionId, 20);
    await expect(resend(sessionId)).rejects.toMatchObject({ code: 'RESEND_LIMIT' });
    await expect(recover(email)).rejects.toMatchObject({ code: 'RESEND_LIMIT' });
  });

  test('is refused before the email is confirmed, with the seconds until the confirmation can be resent', async () => {
    const referrer = await createUser(testApp);
    const email = `${randomBytes(6).toString('hex')}@example.com`;
    const body = { languageCode: 'en', email, password: PASSWORD, referralCode: referrer.referralCode } as const;
    await testApp.call(signUp, { body });
    await expect(recover(email)).rejects.toMatchObject({
      status: 403,
      message: expect.stringMatching(/^Email is not confirmed - (60|5\d)$/),
    });
  });

  test('requires an email, and a known session id', async () => {
    await expect(recover('nobody')).rejects.toMatchObject({ body: { details: [{ path: 'body.email' }] } });
    await expect(resend(randomUUID())).rejects.toMatchObject({ status: 404, code: 'SESSION_NOT_FOUND' });
    await expect(resend('1')).rejects.toMatchObject({ body: { details: [{ path: 'path.sessionId' }] } });
  });
});

describe('setting the password', () => {
  test('works once, and invalidates the other links too', async () => {
    const user = await createUser(testApp);
    const { sessionId } = await recover(user.email);
    const older = await newestCode(user);
    await waitMinutes(sessionId, 1);
    await resend(sessionId);
    const newer = await newestCode(user);
    await save(older);
    for (const code of [older, newer])
      await expect(save(code)).rejects.toMatchObject({ status: 404, code: 'SESSION_NOT_FOUND' });
    await expect(resend(sessionId)).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
  });

  test('concurrently with one link works once', { tags: ['thorough'] }, async () => {
    const user = await createUser(testApp);
    await recover(user.email);
    const code = await newestCode(user);
    const results = await Promise.allSettled([1, 2, 3].map((number) => save(code, `${NEW_PASSWORD} ${number}`)));
    expect(results.filter((result) => result.status === 'fulfilled')).toHaveLength(1);
  });

  test('is refused after 30 minutes, for unknown codes and for codes of another purpose', async () => {
    const user = await createUser(testApp);
    const { sessionId } = await recover(user.email);
    await waitMinutes(sessionId, 30);
    await expect(save(await newestCode(user))).rejects.toMatchObject({ status: 410, code: 'SESSION_EXPIRED' });
    await expect(save('unknown')).rejects.toMatchObject({ status: 404, code: 'SESSION_NOT_FOUND' });
    const email = `${randomBytes(6).toString('hex')}@example.com`;
    const body = { languageCode: 'en', email, password: PASSWORD, referralCode: user.referralCode } as const;
    await testApp.call(signUp, { body });
    const confirmation = (await newestLink(testApp, email)).searchParams.get('code')!;
    await expect(save(confirmation)).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
  });

  test('names the invalid field', async () => {
    await expect(save('', NEW_PASSWORD)).rejects.toMatchObject({ body: { details: [{ path: 'body.code' }] } });
    await expect(save('x', 'short')).rejects.toMatchObject({ body: { details: [{ path: 'body.password' }] } });
  });

  test('resets the counters of failed sign-ins', async () => {
    const user = await createUser(testApp);
    for (let failure = 0; failure < 5; failure++)
      await expect(enter(user.email, 'a wrong password')).rejects.toMatchObject({ status: 400 });
    await expect(enter(user.email, PASSWORD)).rejects.toMatchObject({ code: 'RATE_LIMITED' });
    await recover(user.email);
    await save(await newestCode(user));
    await enter(user.email, NEW_PASSWORD);
  });

  test('leaves no session of the old password, even with concurrent sign-ins', { tags: ['thorough'] }, async () => {
    const user = await createUser(testApp);
    await recover(user.email);
    const code = await newestCode(user);
    const [, ...signIns] = await Promise.allSettled([
      save(code),
      ...[1, 2, 3, 4].map(() => enter(user.email, PASSWORD)),
    ]);
    for (const result of signIns) {
      if (result.status === 'rejected') continue;
      const [session] = await testApp.database.query<{ isOver: boolean }>(
        `select bool_and(revoked_at is not null) as "isOver" from sessions where user_id = $1`,
        [user.id],
      );
      expect(session!.isOver).toBe(true);
    }
  });
});
