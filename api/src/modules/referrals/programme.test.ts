import { signUp } from '@cellhop/contract/auth';
import { getReferralSummary, listOwnPromoCodes } from '@cellhop/contract/referrals';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createUser, type TestUser } from '../../../test/factories.ts';
import { newInvoice, pay } from '../../../test/sandbox-payments.ts';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';

let testApp: TestApp;
beforeAll(async () => {
  testApp = await startTestApp();
});
afterAll(() => testApp.stop());

const summary = async (user: TestUser) => (await user.call(getReferralSummary, {})).data;
const signUpWith = (referralCode: string, email = `${randomUUID()}@example.com`) =>
  testApp.call(signUp, { body: { languageCode: 'en', email, password: 'a long enough password', referralCode } });
const insertPromoCode = (user: TestUser, code: string, expiry = 'null') =>
  testApp.database.query(`insert into promo_codes (code, user_id, expired_at) values ($1, $2, ${expiry})`, [
    code,
    user.id,
  ]);

describe('the summary', () => {
  test("of a new user is empty, with a link that contains the user's code", async () => {
    const user = await createUser(testApp);
    const { monthEndsAt, ...rest } = await summary(user);
    expect(rest).toEqual({
      level: 'BASIC',
      bonusPercent: 0,
      code: user.referralCode,
      link: `http://localhost:3000/sign-up?rc=${user.referralCode}`,
      paymentsThisMonth: 0,
      nextLevel: 'BASIC',
      registeredUsersCount: 0,
      earned: 0,
    });
    const end = new Date(monthEndsAt);
    expect([end.getUTCDate(), end.getUTCHours(), end > new Date()]).toEqual([1, 0, true]);
  });

  test('counts sign-ups by code and promo code, payments of this month, and total earnings', async () => {
    const user = await createUser(testApp);
    await insertPromoCode(user, 'SPRING');
    await signUpWith(user.referralCode);
    await signUpWith('spring');
    const payer = await createUser(testApp, { referrerId: user.id });
    const earlier = await newInvoice(payer, 'ETH');
    await testApp.database.query(
      `insert into referral_payments (invoice_id, referrer_id, paid_at)
       values ($1, $2, date_trunc('month', now(), 'UTC') - interval '1 second')`,
      [earlier.id, user.id],
    );
    await pay(testApp, await newInvoice(payer));
    await pay(testApp, await newInvoice(payer));
    expect(await summary(user)).toMatchObject({
      level: 'SILVER',
      bonusPercent: 10,
      paymentsThisMonth: 2,
      nextLevel: 'SILVER',
      registeredUsersCount: 3,
      earned: 5,
    });
  });
});

test('users only see their own promo codes and the sign-ups with them', async () => {
  const [owner, other] = [await createUser(testApp), await createUser(testApp)];
  await insertPromoCode(owner, 'AUTUMN');
  await insertPromoCode(owner, 'LASTYEAR', `now() - interval '1 minute'`);
  await insertPromoCode(other, 'FOREIGN');
  await signUpWith('AUTUMN');
  const { data, totalPages } = await owner.call(listOwnPromoCodes, { query: {} });
  expect(totalPages).toBe(1);
  expect(data.map(({ code, status, registeredUsersCount }) => [code, status, registeredUsersCount])).toEqual([
    ['LASTYEAR', 'EXPIRED', 0],
    ['AUTUMN', 'ACTIVE', 1],
  ]);
});

describe('a chain of referrers', () => {
  test('has no cycle: users cannot sign up with their own code and address', async () => {
    const user = await createUser(testApp);
    for (const email of [user.email, user.email.toUpperCase()])
      await expect(signUpWith(user.referralCode, email)).rejects.toMatchObject({ code: 'EMAIL_EXISTS' });
  });

  test('has no cycle: the database refuses to change a referrer, and users as their own referrer', async () => {
    const first = await createUser(testApp);
    const second = await createUser(testApp, { referrerId: first.id });
    const setReferrer = (user: TestUser, referrer: TestUser) =>
      testApp.database.query('update users set referrer_id = $2 where id = $1', [user.id, referrer.id]);
    await expect(setReferrer(first, second)).rejects.toThrow('a referrer cannot change');
    await expect(setReferrer(second, second)).rejects.toThrow('a referrer cannot change');
    const own = testApp.database.query(
      `insert into users (id, email, password_hash, language_code, referral_code, referrer_id, account_id)
       select $1::uuid, 'own@example.com', 'x', 'en', 'OWNCODE', $1::uuid, account_id from users limit 1`,
      [randomUUID()],
    );
    await expect(own).rejects.toThrow('users_check');
  });
});
