import { recoverPassword } from '@cellhop/contract/auth';
import { seededRoles } from '@cellhop/contract/permissions';
import { getProfile, updateProfile } from '@cellhop/contract/users';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createUser } from '../../../test/factories.ts';
import { mailsTo, startTestAppWithMail } from '../../../test/mail.ts';
import type { TestApp } from '../../../test/test-app.ts';
import { newReferralCode } from '../users/users.service.ts';

let testApp: TestApp;
beforeAll(async () => {
  testApp = await startTestAppWithMail();
});
afterAll(() => testApp.stop());

describe('the profile', () => {
  test('shows balance, level, codes and role, and nothing secret', async () => {
    const user = await createUser(testApp, { balanceMicros: 12_345_678n });
    expect((await user.call(getProfile, {})).data).toEqual({
      id: user.id,
      email: user.email,
      balance: 12.345678,
      referralLevel: 'BASIC',
      languageCode: 'en',
      referralCode: user.referralCode,
      secondFactor: 'OFF',
      role: { name: 'USER', permissions: [] },
    });
  });

  test.each(['SUPPORT', 'FINANCE', 'ADMIN'])(
    'lists the permissions of %s, and follows a change at once',
    async (name) => {
      const user = await createUser(testApp, { roleName: name });
      expect((await user.call(getProfile, {})).data.role).toEqual({ name, permissions: seededRoles[name] });
      await testApp.database.query(`update users set role_name = 'USER' where id = $1`, [user.id]);
      expect((await user.call(getProfile, {})).data.role).toEqual({ name: 'USER', permissions: [] });
    },
  );

  test('shows the level according to the payments of last month', async () => {
    const user = await createUser(testApp);
    await testApp.database.query(
      `with account as (
         insert into wallet_accounts (address_space, fingerprint, next_index) values ('test', 'test', 2) returning id
       ), address as (
         insert into deposit_addresses (address_space, address, user_id, is_reused, wallet_account_id, derivation_index, mac)
         select 'test', 'test', $1, false, id, 1, '' from account returning id
       ), invoice as (
         insert into invoices (user_id, currency, amount_micros, due_units, rate_e12, address_id, is_open, expired_at)
         select $1, 'BTC', 1, 1, 1, id, false, now() from address, generate_series(1, 10) returning id
       )
       insert into referral_payments (invoice_id, referrer_id, paid_at)
       select id, $1, date_trunc('month', now(), 'UTC') - interval '10 days' from invoice`,
      [user.id],
    );
    expect((await user.call(getProfile, {})).data.referralLevel).toBe('GOLD');
  });

  test('requires a token', async () => {
    await expect(testApp.call(getProfile, {})).rejects.toMatchObject({ status: 401, code: 'UNAUTHORIZED' });
    await expect(testApp.call(updateProfile, { body: { languageCode: 'en' } })).rejects.toMatchObject({ status: 401 });
  });
});

describe('changing the language', () => {
  test('changes the language of later mails', async () => {
    const user = await createUser(testApp);
    const { data } = await user.call(updateProfile, { body: { languageCode: 'ru' } });
    expect(data.languageCode).toBe('ru');
    await testApp.call(recoverPassword, { body: { email: user.email } });
    expect((await mailsTo(testApp, user.email))[0]!.subject).toBe('Новый пароль для Cellhop');
  });

  test('refuses other languages and other fields', async () => {
    const user = await createUser(testApp);
    for (const [body, path] of [
      [{ languageCode: 'de' }, 'body.languageCode'],
      [{ languageCode: 'ru', email: 'b@example.com' }, 'body.email'],
    ] as const)
      await expect(user.call(updateProfile, { body: body as never })).rejects.toMatchObject({
        status: 400,
        body: { details: [{ path }] },
      });
  });
});

test('referral codes have ten characters without look-alikes', () => {
  const codes = Array.from({ length: 1000 }, newReferralCode);
  expect(new Set(codes).size).toBe(1000);
  for (const code of codes) expect(code).toMatch(/^[2-9A-HJKMNP-TV-Z]{10}$/);
});
