import { resendConfirmation, setPassword, signInAsConfirmed, signUp } from '@cellhop/contract/auth';
import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createUser, PASSWORD, type TestUser } from '../../../test/factories.ts';
import { newestLink, pressConfirm, startTestAppWithMail } from '../../../test/mail.ts';
import { startSecondApp, type TestApp } from '../../../test/test-app.ts';
import { hashEmail, makeLink } from './codes.ts';

let testApp: TestApp;
let referrer: TestUser;
beforeAll(async () => {
  testApp = await startTestAppWithMail();
  referrer = await createUser(testApp);
});
afterAll(() => testApp.stop());

/** Like a browser, keeps the cookie of the last sign-up. */
class Browser {
  cookie: string | undefined;
  readonly #app: TestApp;
  constructor(app: TestApp = testApp) {
    this.#app = app;
  }

  async post(url: string, body: object): Promise<Response> {
    const response = await fetch(this.#app.url + url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...this.headers() },
      body: JSON.stringify(body),
    });
    const set = response.headers.get('set-cookie');
    if (set !== null) this.cookie = /Max-Age=0/.test(set) ? undefined : set.split(';', 1)[0];
    return response;
  }

  headers(): Record<string, string> {
    return this.cookie === undefined ? {} : { cookie: `other=1; ${this.cookie}` };
  }

  async signUp(email = `${randomBytes(6).toString('hex')}@example.com`): Promise<string> {
    const body = { languageCode: 'en', email, password: PASSWORD, referralCode: referrer.referralCode };
    assert.equal((await this.post(signUp.url, body)).status, 201);
    return email;
  }

  /** @returns what the page after the confirmation signs in with; null if it does not */
  async press(link: URL): Promise<string | null> {
    const response = await pressConfirm(testApp, link, this.headers());
    assert.equal(response.status, 302);
    return new URL(response.headers.get('location')!, testApp.url).searchParams.get('signIn');
  }

  async signIn(id: string | null): Promise<{ status: number; email?: string }> {
    const response = await this.post(signInAsConfirmed.url, { id });
    const body = (await response.json()) as { data?: { profile: { email: string }; accessToken: string } };
    return { status: response.status, ...(body.data && { email: body.data.profile.email }) };
  }
}

const refused = { status: 404 };

test('the link signs in, once, in the browser that signed up', async () => {
  const browser = new Browser();
  const email = await browser.signUp();
  const { cookie } = browser;
  const id = await browser.press(await newestLink(testApp, email));
  expect(await browser.signIn(id)).toEqual({ status: 200, email });
  expect(browser.cookie).toBeUndefined();
  browser.cookie = cookie;
  expect(await browser.signIn(id)).toEqual(refused);
  expect(await browser.press(await newestLink(testApp, email))).toBeNull();
});

test('the secret is stored as a hash, and no script and no other site can use the cookie', async () => {
  const email = `${randomBytes(6).toString('hex')}@example.com`;
  const response = await fetch(testApp.url + signUp.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ languageCode: 'en', email, password: PASSWORD, referralCode: referrer.referralCode }),
  });
  const cookie = response.headers.get('set-cookie')!;
  expect(cookie).toMatch(/^sign-up=[\w-]{43}; Max-Age=86400; Path=\/; HttpOnly; SameSite=Strict$/);
  expect(await response.json()).toEqual({ data: { nextSendingAllowedIn: expect.any(Number) } });
  const [row] = await testApp.database.query<{ text: string }>(
    `select mail_codes::text as text from mail_codes where email_hash = $1`,
    [hashEmail(testApp.ctx, email)],
  );
  expect(row!.text).not.toContain(/=([\w-]{43})/.exec(cookie)![1]);

  const secure = await startSecondApp(testApp, { publicUrl: 'https://shop.example.com' });
  try {
    const shop = new Browser(secure);
    await shop.signUp();
    expect(shop.cookie).toMatch(/^__Host-sign-up=/);
  } finally {
    await secure.stop();
  }
});

test(
  'in another browser it confirms and starts no session, neither there nor here',
  { tags: ['thorough'] },
  async () => {
    const [browser, phone] = [new Browser(), new Browser()];
    const email = await browser.signUp();
    const link = await newestLink(testApp, email);
    expect(await phone.press(link)).toBeNull();
    expect(await browser.press(link)).toBeNull();
    const [row] = await testApp.database.query<{ id: string }>('select id from mail_codes where email_hash = $1', [
      hashEmail(testApp.ctx, email),
    ]);
    expect(await browser.signIn(row!.id)).toEqual(refused);
  },
);

test(
  "a browser with another person's sign-up confirms without signing in as either",
  { tags: ['thorough'] },
  async () => {
    const [mine, theirs] = [new Browser(), new Browser()];
    await mine.signUp();
    const email = await theirs.signUp();
    expect(await mine.press(await newestLink(testApp, email))).toBeNull();
  },
);

test('neither the redirect alone nor a cookie alone signs in', async () => {
  const [browser, stranger] = [new Browser(), new Browser()];
  const email = await browser.signUp();
  await stranger.signUp();
  const id = await browser.press(await newestLink(testApp, email));
  expect(await new Browser().signIn(id)).toEqual(refused);
  expect(await stranger.signIn(id)).toEqual(refused);
  expect(await browser.signIn(randomUUID())).toEqual(refused);
  expect(await browser.signIn(id)).toMatchObject({ status: 200 });
});

test(
  'a second press before the page has signed in still signs in; concurrent requests open one session',
  { tags: ['thorough'] },
  async () => {
    const browser = new Browser();
    const email = await browser.signUp();
    const link = await newestLink(testApp, email);
    await browser.press(link);
    const id = await browser.press(link);
    const results = await Promise.all(Array.from({ length: 4 }, () => browser.signIn(id)));
    expect(results.map(({ status }) => status).sort((one, other) => one - other)).toEqual([200, 404, 404, 404]);
  },
);

test('a link that was sent again signs in where the sign-up was', { tags: ['thorough'] }, async () => {
  const browser = new Browser();
  const email = await browser.signUp();
  await testApp.database.query(`update mail_codes set created_at = created_at - interval '1 hour'`);
  await testApp.call(resendConfirmation, { body: { email } });
  const id = await browser.press(await newestLink(testApp, email));
  expect(await browser.signIn(id)).toEqual({ status: 200, email });
});

test.each([
  ['the code has expired', `update mail_codes set expired_at = now() where user_id = $1`],
  ['the user is blocked', `update users set status = 'BLOCKED' where id = $1`],
])('the link starts no session when %s', async (_, change) => {
  const browser = new Browser();
  const email = await browser.signUp();
  const link = await newestLink(testApp, email);
  await testApp.database.query(change, [await userId(email)]);
  expect(await browser.press(link)).toBeNull();
});

test.each([
  ['five minutes have passed', `update mail_codes set used_at = now() - interval '6 minutes' where user_id = $1`],
  ['the user has been blocked', `update users set status = 'BLOCKED' where id = $1`],
  ['a second factor is on', `update users set second_factor_at = now() where id = $1`],
])('the page after the confirmation starts no session when %s', async (_, change) => {
  const browser = new Browser();
  const email = await browser.signUp();
  const id = await browser.press(await newestLink(testApp, email));
  expect(id).not.toBeNull();
  await testApp.database.query(change, [await userId(email)]);
  expect(await browser.signIn(id)).toEqual(refused);
});

test('a new password ends it, too', { tags: ['thorough'] }, async () => {
  const browser = new Browser();
  const email = await browser.signUp();
  const id = await browser.press(await newestLink(testApp, email));
  const { ctx } = testApp;
  const { link } = await makeLink(ctx, 'RECOVER_PASSWORD', hashEmail(ctx, email), await userId(email));
  const code = new URL(link).searchParams.get('code')!;
  await testApp.call(setPassword, { body: { code, password: 'Another long passphrase' } });
  expect(await browser.signIn(id)).toEqual(refused);
});

async function userId(email: string): Promise<string> {
  const [row] = await testApp.database.query<{ id: string }>('select id from users where email = $1', [email]);
  return row!.id;
}
