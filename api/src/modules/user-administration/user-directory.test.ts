import type { ClientInput } from '@cellhop/contract/endpoint';
import { LISTED_ROWS_MAX } from '@cellhop/contract/limits';
import { getUser, listUsers } from '@cellhop/contract/staff/users';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createUser, type TestUser } from '../../../test/factories.ts';
import { activateSecondFactor } from '../../../test/second-factor.ts';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';

type Query = ClientInput<typeof listUsers>['query'];

let testApp: TestApp;
let support: TestUser;
beforeAll(async () => {
  testApp = await startTestApp();
  support = await createUser(testApp, { roleName: 'SUPPORT' });
});
afterAll(() => testApp.stop());

const find = (query: Query) => support.call(listUsers, { query });
const idsOf = async (query: Query) => (await find(query)).data.map(({ id }) => id);
const update = (user: TestUser, change: string, value: unknown) =>
  testApp.database.query(`update users set ${change} where id = $1`, [user.id, value]);

/** Referrals of a user of their own, one minute apart, the oldest first. */
async function createReferrals(count: number): Promise<{ referrer: TestUser; referrals: TestUser[] }> {
  const referrer = await createUser(testApp);
  const referrals: TestUser[] = [];
  for (let index = 0; index < count; index++) {
    const user = await createUser(testApp, { referrerId: referrer.id });
    await update(user, `created_at = $2`, `2026-01-01T00:0${index}:00Z`);
    referrals.push(user);
  }
  return { referrer, referrals };
}

describe('the list of users', () => {
  test('shows each user with balance, level and role', async () => {
    const user = await createUser(testApp, { balanceMicros: 12_345_678n });
    const { data } = await find({ email: user.email });
    expect(data).toEqual([
      {
        id: user.id,
        email: user.email,
        isConfirmedEmail: true,
        status: 'ACTIVE',
        balance: 12.345678,
        referralLevel: 'BASIC',
        role: { name: 'USER' },
        languageCode: 'en',
        referralCode: expect.stringMatching(/^\S{5,}$/) as string,
        createdAt: expect.any(String) as string,
      },
    ]);
  });

  test('shows the level that the payments of last month reached', async () => {
    const { referrer, referrals } = await createReferrals(2);
    await testApp.database.query(
      `with account as (
         insert into wallet_accounts (address_space, fingerprint, next_index) values ('test', 'test', 2) returning id
       ), address as (
         insert into deposit_addresses (address_space, address, user_id, is_reused, wallet_account_id, derivation_index, mac)
         select 'BTC', 'directory', $1, false, id, 1, '' from account returning id
       ), invoice as (
         insert into invoices (user_id, currency, amount_micros, due_units, rate_e12, address_id, is_open, expired_at)
         select $1, 'BTC', 1, 1, 1, id, false, now() from address, generate_series(1, 6) returning id
       )
       insert into referral_payments (invoice_id, referrer_id, paid_at)
       select id, $2, date_trunc('month', now(), 'UTC') - interval '10 days' from invoice`,
      [referrals[0]!.id, referrer.id],
    );
    const { data } = await find({ email: referrer.email });
    expect(data.map(({ referralLevel }) => referralLevel)).toEqual(['GOLD']);
  });

  test('is sorted by creation time or email, in either direction', async () => {
    const { referrer, referrals } = await createReferrals(4);
    const referralId = referrer.id;
    const byTime = referrals.map(({ id }) => id);
    const byEmail = [...referrals].sort((one, other) => (one.email < other.email ? -1 : 1)).map(({ id }) => id);
    expect(await idsOf({ referralId })).toEqual(byTime.toReversed());
    expect(await idsOf({ referralId, sort: 'createdAt' })).toEqual(byTime);
    expect(await idsOf({ referralId, sort: 'email' })).toEqual(byEmail);
    expect(await idsOf({ referralId, sort: '-email' })).toEqual(byEmail.toReversed());
  });

  test('has pages up to a row that can be reached quickly', async () => {
    const { referrer, referrals } = await createReferrals(3);
    const second = await find({ referralId: referrer.id, size: 2, page: 2, sort: 'createdAt' });
    expect(second.data.map(({ id }) => id)).toEqual([referrals[2]!.id]);
    expect(second.totalPages).toBe(2);
    expect(await find({ page: LISTED_ROWS_MAX, size: 100 })).toMatchObject({ data: [] });
    await expect(find({ page: LISTED_ROWS_MAX + 1 })).rejects.toMatchObject({ code: 'VALIDATION' });
  });

  test('can be filtered by status, role, confirmation and creation time, together', async () => {
    const { referrer, referrals } = await createReferrals(4);
    const [blocked, staff, unconfirmed, plain] = referrals as [TestUser, TestUser, TestUser, TestUser];
    await update(blocked, 'status = $2', 'BLOCKED');
    await update(staff, 'role_name = $2', 'SUPPORT');
    await update(unconfirmed, 'email_confirmed_at = $2', null);
    const referralId = referrer.id;
    expect(await idsOf({ referralId, status: 'BLOCKED' })).toEqual([blocked.id]);
    expect(await idsOf({ referralId, role: 'SUPPORT' })).toEqual([staff.id]);
    expect(await idsOf({ referralId, isConfirmed: 'false' })).toEqual([unconfirmed.id]);
    expect(await idsOf({ referralId, status: 'ACTIVE', role: 'USER', isConfirmed: 'true' })).toEqual([plain.id]);
    const range = { createdFrom: '2026-01-01T00:01:00Z', createdTo: '2026-01-01T00:03:00Z' };
    expect(await idsOf({ referralId, ...range })).toEqual([unconfirmed.id, staff.id]);
    expect(await idsOf({ referralId, role: 'NOBODY' })).toEqual([]);
  });

  test('finds a part of an email in any case, and takes % and _ literally', async () => {
    const [one, other] = [await createUser(testApp), await createUser(testApp)];
    await update(one, 'email = $2', 'jane_100%@example.org');
    await update(other, 'email = $2', 'janex100x@example.org');
    expect(await idsOf({ email: ' Jane_100% ' })).toEqual([one.id]);
    expect((await idsOf({ email: 'JANE' })).sort()).toEqual([one.id, other.id].sort());
    await expect(find({ email: 'ja' })).rejects.toMatchObject({ code: 'VALIDATION' });
  });

  test.each([{ status: 'GONE' }, { sort: 'balance' }, { referralId: 'x' }, { createdFrom: 'today' }, { unknown: '1' }])(
    'refuses %o',
    async (query) => {
      await expect(find(query as never)).rejects.toMatchObject({ status: 400, code: 'VALIDATION' });
    },
  );

  test.each([
    ['users_email_parts', { email: '%rare%' }],
    ['users_newest_by_role', { roleName: 'SUPPORT' }],
    ['users_listed_not_active', { status: 'DELETED' }],
    ['users_newest_not_confirmed', { isConfirmed: 'false' }],
  ])('has the index %s for what few of many users match', async (index, condition) => {
    await fillUsers();
    const [column, value] = Object.entries(condition)[0]!;
    const conditions: Record<string, string> = {
      email: 'email like $1',
      roleName: 'role_name = $1',
      status: 'status = $1',
      isConfirmed: `email_confirmed_at is null and $1 = 'false'`,
    };
    const plan = await testApp.ctx.tx(async ({ db }) => {
      await db.query('set local enable_seqscan = off');
      return db.query<{ 'QUERY PLAN': string }>(`explain select id from users where ${conditions[column]!}`, [value], {
        isPrepared: false,
      });
    });
    expect(plan.map((line) => line['QUERY PLAN']).join('\n')).toContain(index);
  });
});

let filled: Promise<unknown> | undefined;
/** Enough other users that a scan of all of them is the slower plan. */
function fillUsers(): Promise<unknown> {
  return (filled ??= testApp.database
    .query(
      `with account as (
       insert into accounts (kind) select 'USER' from generate_series(1, 4000) returning id
     )
     insert into users (email, password_hash, language_code, referral_code, account_id, email_confirmed_at)
     select md5(id::text) || '@example.net', 'x', 'en', upper(md5(id::text)), id, now() from account`,
    )
    .then(() => testApp.database.query('analyze users')));
}

describe('the page of a user', () => {
  test('shows every field, the referrer and the promo code', async () => {
    const referrer = await createUser(testApp);
    const user = await createUser(testApp, { referrerId: referrer.id, languageCode: 'ru' });
    const [code] = await testApp.database.query<{ id: string }>(
      `insert into promo_codes (code, user_id) values ('DIRECTORY', $1) returning id`,
      [referrer.id],
    );
    await update(user, 'promo_code_id = $2', code!.id);
    expect((await support.call(getUser, { params: { id: user.id } })).data).toEqual({
      id: user.id,
      email: user.email,
      isConfirmedEmail: true,
      status: 'ACTIVE',
      balance: 0,
      referralLevel: 'BASIC',
      role: { name: 'USER' },
      createdAt: expect.any(String) as string,
      languageCode: 'ru',
      referralCode: user.referralCode,
      deletedAt: null,
      referral: { id: referrer.id, email: referrer.email },
      promoCode: 'DIRECTORY',
      hasSecondFactor: false,
      secondFactorResetAt: null,
      version: 0,
    });
  });

  test('shows whether two-factor sign-in is on, and when the user was deleted', async () => {
    const user = await createUser(testApp);
    await activateSecondFactor(testApp, user);
    await update(user, `status = 'DELETED', deleted_at = $2`, '2026-01-02T03:04:05Z');
    expect((await support.call(getUser, { params: { id: user.id } })).data).toMatchObject({
      status: 'DELETED',
      deletedAt: '2026-01-02T03:04:05.000Z',
      referral: null,
      promoCode: null,
      hasSecondFactor: true,
    });
  });

  test('does not exist for an unknown id, nor for customers', async () => {
    await expect(support.call(getUser, { params: { id: randomUUID() } })).rejects.toMatchObject({ status: 404 });
    const customer = await createUser(testApp);
    const refusal = { status: 403, code: 'FORBIDDEN' };
    await expect(customer.call(getUser, { params: { id: customer.id } })).rejects.toMatchObject(refusal);
    await expect(customer.call(listUsers, { query: {} })).rejects.toMatchObject(refusal);
  });
});
