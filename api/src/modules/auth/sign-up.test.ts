import { resendConfirmation, signIn, signUp, type SignUpBody } from '@cellhop/contract/auth';
import { getProfile } from '@cellhop/contract/users';
import { type ApiError } from '@cellhop/contract/client';
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createUser, PASSWORD, type TestUser } from '../../../test/factories.ts';
import { mailsTo, newestLink, pressConfirm, startTestAppWithMail } from '../../../test/mail.ts';
import type { TestApp } from '../../../test/test-app.ts';
import { checkInvariants } from '../../db/check-invariants.ts';
import { insertPromoCode } from '../../seed/seed.store.ts';
import { createTestClient } from '../../../test/test-client.ts';

let testApp: TestApp;
let referrer: TestUser;
beforeAll(async () => {
  testApp = await startTestAppWithMail();
  referrer = await createUser(testApp);
  await insertPromoCode(testApp.ctx, 'TRYOUT', referrer.id, 1_000_000n);
});
afterAll(async () => {
  expect(await checkInvariants(testApp.ctx)).toEqual([]);
  await testApp.stop();
});

const newEmail = () => `${randomBytes(6).toString('hex')}@example.com`;

async function register(overrides: Partial<SignUpBody> = {}): Promise<string> {
  const email = overrides.email ?? newEmail();
  const referralCode = referrer.referralCode;
  await testApp.call(signUp, { body: { languageCode: 'en', password: PASSWORD, referralCode, ...overrides, email } });
  return email;
}

async function press(link: URL, headers: Record<string, string> = {}) {
  const response = await pressConfirm(testApp, link, headers);
  const target = new URL(response.headers.get('location') ?? '/', testApp.url);
  return { status: response.status, path: target.pathname, message: target.searchParams.get('message') };
}

const resend = (email: string) => testApp.call(resendConfirmation, { body: { email } });
const enter = (email: string) => testApp.call(signIn, { body: { email, password: PASSWORD } });

async function userRow(email: string) {
  const [row] = await testApp.database.query<{ referrerId: string; promoCode: string | null; referralCode: string }>(
    `select referrer_id as "referrerId", code as "promoCode", referral_code as "referralCode"
       from users left join promo_codes on promo_codes.id = promo_code_id where email = $1`,
    [email],
  );
  return row;
}

/** Backdates everything that was sent to one user. */
async function waitMinutes(email: string, minutes: number): Promise<void> {
  await testApp.database.query(
    `update mail_codes set created_at = created_at - $2::int * interval '1 minute',
                           expired_at = expired_at - $2::int * interval '1 minute'
      where user_id = (select id from users where email = $1)`,
    [email, minutes],
  );
}

describe('sign-up', () => {
  test('sends a link that confirms the email, after which the user can sign in', async () => {
    const email = newEmail();
    const before = Date.now();
    const body: SignUpBody = { languageCode: 'en', email, password: PASSWORD, referralCode: referrer.referralCode };
    const { data } = await testApp.call(signUp, { body });
    expect(data.nextSendingAllowedIn).toBeGreaterThan(before + 59_000);
    expect(data.nextSendingAllowedIn).toBeLessThanOrEqual(Date.now() + 60_000);

    const [mail] = await mailsTo(testApp, email);
    expect(mail).toMatchObject({ to: email, subject: 'Confirm your email for Cellhop' });
    expect(mail!.text).toContain('24 hours');
    const link = await newestLink(testApp, email);
    expect(link.href).toMatch(/^http:\/\/localhost:3000\/v1\/auth\/confirm-email\?code=[\w-]{43}$/);
    expect(await press(link)).toEqual({
      status: 302,
      path: '/public-message',
      message: 'Your email is confirmed. You can sign in now.',
    });

    const session = (await enter(email)).data;
    expect(session.profile).toMatchObject({ email, balance: 0, referralLevel: 'BASIC', languageCode: 'en' });
    expect(session.profile.role).toEqual({ name: 'USER', permissions: [] });
    const call = createTestClient({
      baseUrl: testApp.url,
      headers: () => ({ authorization: `Bearer ${session.accessToken}` }),
    });
    expect((await call(getProfile, {})).data).toEqual(session.profile);
  });

  test('uses Russian for a Russian user, in the mail and after the link', async () => {
    const email = await register({ languageCode: 'ru' });
    const [mail] = await mailsTo(testApp, email);
    expect(mail!.subject).toBe('Подтвердите email для Cellhop');
    expect(mail!.text).toContain('Ссылка действует 24 часа.');
    expect(mail!.html).toContain('<html lang="ru">');
    expect((await press(await newestLink(testApp, email))).message).toBe(
      'Ваш email подтверждён. Теперь вы можете войти.',
    );
  });

  test('stores the referrer by referral code or promo code, in any case and width', async () => {
    const byUser = await userRow(await register({ referralCode: ` ${referrer.referralCode.toLowerCase()} ` }));
    expect(byUser).toMatchObject({ referrerId: referrer.id, promoCode: null });
    expect(byUser!.referralCode).toMatch(/^[2-9A-HJKMNP-TV-Z]{10}$/);
    for (const referralCode of ['tryout', 'ｔｒｙｏｕｔ'])
      expect(await userRow(await register({ referralCode }))).toMatchObject({
        referrerId: referrer.id,
        promoCode: 'TRYOUT',
      });
  });

  test('refuses codes that are unknown, expired, disabled, or belong to a blocked user', async () => {
    const blocked = await createUser(testApp);
    await testApp.database.query(`update users set status = 'BLOCKED' where id = $1`, [blocked.id]);
    await testApp.database.query(
      `insert into promo_codes (code, user_id, status, expired_at) values
         ('ENDED', $1, 'ACTIVE', now() - interval '1 minute'), ('CLOSED', $1, 'DISABLED', null),
         ('MARKED', $1, 'EXPIRED', null)`,
      [referrer.id],
    );
    for (const referralCode of ['NOBODYS', 'ENDED', 'CLOSED', 'MARKED', blocked.referralCode])
      await expect(register({ referralCode })).rejects.toMatchObject({ status: 404, code: 'REFERRAL_CODE_NOT_FOUND' });
  });

  test('refuses an email that is taken, in any case', async () => {
    const email = await register();
    await expect(register({ email: email.toUpperCase() })).rejects.toMatchObject({ status: 409, code: 'EMAIL_EXISTS' });
    expect(await mailsTo(testApp, email)).toHaveLength(1);
  });

  test('creates one account for concurrent sign-ups with one email', async () => {
    const email = newEmail();
    const results = await Promise.allSettled(Array.from({ length: 5 }, () => register({ email })));
    const codes = results.map((result) => (result.status === 'rejected' ? (result.reason as ApiError).code : 'MADE'));
    expect(codes.sort()).toEqual([...Array.from({ length: 4 }, () => 'EMAIL_EXISTS'), 'MADE']);
    expect(await mailsTo(testApp, email)).toHaveLength(1);
  });

  test.each([
    ['email', { email: 'nobody@localhost' }],
    ['password', { password: 'x'.repeat(7) }],
    ['password', { password: 'x'.repeat(351) }],
    ['referralCode', { referralCode: 'four' }],
    ['languageCode', { languageCode: 'de' }],
    ['isAdmin', { isAdmin: true }],
  ])('names the invalid field: %s', async (field, override) => {
    await expect(register(override as Partial<SignUpBody>)).rejects.toMatchObject({
      status: 400,
      code: 'VALIDATION',
      body: { details: [{ path: `body.${field}` }] },
    });
  });
});

describe('confirmation', () => {
  test('grants the trial credit of the promo code once, even with concurrent links', async () => {
    const email = await register({ referralCode: 'TRYOUT' });
    const first = await newestLink(testApp, email);
    await waitMinutes(email, 1);
    await resend(email);
    const second = await newestLink(testApp, email);
    expect(second.href).not.toBe(first.href);

    const answers = await Promise.all([first, second, first, second, first].map((link) => press(link)));
    const messages = answers.map(({ message }) => message);
    expect(messages.filter((message) => message === 'Your email is confirmed. You can sign in now.')).toHaveLength(1);
    expect(messages.filter((message) => message?.includes('already'))).toHaveLength(4);
    expect((await enter(email)).data.profile.balance).toBe(1);
  });

  test('works with the older link after a newer one was sent', async () => {
    const email = await register();
    const older = await newestLink(testApp, email);
    await waitMinutes(email, 1);
    await resend(email);
    expect((await press(older)).message).toContain('is confirmed');
  });

  test('reports a link older than a day, and the user can request a new one', async () => {
    const email = await register();
    const link = await newestLink(testApp, email);
    await waitMinutes(email, 24 * 60);
    expect((await press(link)).message).toContain('expired');
    await expect(enter(email)).rejects.toMatchObject({
      code: 'EMAIL_NOT_CONFIRMED',
      message: 'Email is not confirmed - 0',
    });
    await resend(email);
    expect((await press(await newestLink(testApp, email))).message).toContain('is confirmed');
  });

  test('of an unknown link responds in the language of the browser; a code is required', async () => {
    const link = new URL('http://localhost/v1/auth/confirm-email?code=unknown');
    expect(await press(link)).toMatchObject({ status: 302, message: expect.stringContaining('is not valid') });
    expect((await press(link, { 'accept-language': 'ru-RU,ru;q=0.9' })).message).toContain('недействительна');
    const incomplete = new URL('http://localhost/v1/auth/confirm-email');
    expect((await press(incomplete)).status).toBe(400);
    expect((await fetch(testApp.url + incomplete.pathname)).status).toBe(400);
  });

  test('does not happen when the link is opened, by a person or a program', async () => {
    const email = await register();
    const link = await newestLink(testApp, email);
    const url = `${testApp.url}${link.pathname}${link.search}`;
    for (const method of ['HEAD', 'GET', 'GET']) {
      const response = await fetch(url, { method, redirect: 'manual' });
      expect(response.status).toBe(200);
      expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(response.headers.get('cache-control')).toBe('no-store');
      expect(response.headers.get('content-security-policy')).toContain("form-action 'self'");
    }
    await expect(enter(email)).rejects.toMatchObject({ code: 'EMAIL_NOT_CONFIRMED' });
    expect((await press(link)).message).toBe('Your email is confirmed. You can sign in now.');
    expect((await press(link)).message).toBe('Your email has already been confirmed. You can sign in.');
    await expect(enter(email)).resolves.toBeDefined();
  });

  test('needs one press of the button of a page in the language of the user, which needs no script', async () => {
    const email = await register({ languageCode: 'ru' });
    const link = await newestLink(testApp, email);
    const page = await (await fetch(`${testApp.url}${link.pathname}${link.search}`)).text();
    expect(page).toContain('<html lang="ru">');
    expect(page).not.toMatch(/<script/i);
    const form = /<form method="post" action="([^"]+)">.*name="code" value="([^"]+)"/s.exec(page);
    expect(form?.slice(1)).toEqual([link.pathname, link.searchParams.get('code')]);
    expect(page).toMatch(/<button type="submit"[^>]*>Подтвердить email<\/button>/);
  });

  test('shows the code of a link as text', async () => {
    const code = '"><script>alert(1)</script>';
    const page = await (await fetch(`${testApp.url}/v1/auth/confirm-email?${new URLSearchParams({ code })}`)).text();
    expect(page).not.toContain('<script>');
  });
});

describe('resending the confirmation', () => {
  test('is allowed after 1, 2, 5, 15 and 60 minutes, but no sixth time in a day', async () => {
    const email = await register();
    for (const minutes of [1, 2, 5, 15, 60]) {
      const failure = await fetch(`${testApp.url}${resendConfirmation.url}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ email }),
      });
      const seconds = Number(failure.headers.get('retry-after'));
      expect(seconds).toBeGreaterThan(minutes * 60 - 10);
      expect(seconds).toBeLessThanOrEqual(minutes * 60);
      expect(await failure.json()).toMatchObject({
        statusCode: 429,
        code: 'RESEND_INTERVAL',
        message: `Small interval resend code - ${seconds}`,
      });
      await waitMinutes(email, minutes);
      await resend(email.toUpperCase());
    }
    await waitMinutes(email, 60);
    await expect(resend(email)).rejects.toMatchObject({
      status: 429,
      code: 'RESEND_LIMIT',
      message: 'Limit resend code',
    });
    expect(await mailsTo(testApp, email)).toHaveLength(6);
    await waitMinutes(email, 24 * 60);
    await resend(email);
  });

  test('sends one mail for concurrent requests', async () => {
    const email = await register();
    await waitMinutes(email, 1);
    const results = await Promise.allSettled([resend(email), resend(email), resend(email)]);
    expect(results.filter((result) => result.status === 'fulfilled')).toHaveLength(1);
    expect(await mailsTo(testApp, email)).toHaveLength(2);
  });

  test('is refused in the same way for confirmed and unknown emails', async () => {
    for (const email of [referrer.email, newEmail()])
      await expect(resend(email)).rejects.toMatchObject({ status: 404, code: 'SESSION_NOT_FOUND' });
    await expect(resend('nobody')).rejects.toMatchObject({ body: { details: [{ path: 'body.email' }] } });
  });

  test('before it a sign-in returns the waiting time, but only with the right password', async () => {
    const email = await register();
    await expect(enter(email)).rejects.toMatchObject({
      status: 403,
      message: expect.stringMatching(/^Email is not confirmed - (60|5\d)$/),
    });
    await expect(testApp.call(signIn, { body: { email, password: 'a wrong password' } })).rejects.toMatchObject({
      code: 'INVALID_CREDENTIALS',
    });
  });
});
