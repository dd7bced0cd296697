import { signUp } from '@cellhop/contract/auth';
import { createPromoCode, disablePromoCode, listPromoCodes } from '@cellhop/contract/staff/promo-codes';
import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { entriesOf } from '../../../test/audit-log.ts';
import { createUser, type TestUser } from '../../../test/factories.ts';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';

let testApp: TestApp;
let admin: TestUser;
let owner: TestUser;
beforeAll(async () => {
  testApp = await startTestApp();
  admin = await createUser(testApp, { roleName: 'ADMIN' });
  owner = await createUser(testApp);
});
afterAll(() => testApp.stop());

const newCode = () => randomBytes(6).toString('hex').toUpperCase();
const create = async (body: object = {}, headers: Record<string, string> = {}) =>
  (await admin.call(createPromoCode, { body: { code: newCode(), referralEmail: owner.email, ...body } }, { headers }))
    .data;
const signUpWith = (referralCode: string) =>
  testApp.call(signUp, {
    body: {
      languageCode: 'en',
      email: `${randomUUID()}@example.com`,
      password: 'a long enough password',
      referralCode,
    },
  });

describe('disabling a promo code', () => {
  test('ends sign-ups with it, and is recorded with the reason', async () => {
    const { id, code, version } = await create();
    await signUpWith(code);
    const { data } = await admin.call(disablePromoCode, {
      params: { id },
      body: { reason: 'Shared in public', version },
    });
    expect(data).toMatchObject({ id, status: 'DISABLED', registeredUsersCount: 1, version: version + 1 });
    await expect(signUpWith(code)).rejects.toMatchObject({ code: 'REFERRAL_CODE_NOT_FOUND' });
    expect((await entriesOf(testApp, id)).at(-1)).toMatchObject({
      action: 'PROMO_CODE_DISABLED',
      actorId: admin.id,
      details: { reason: 'Shared in public', before: { status: 'ACTIVE' }, after: { status: 'DISABLED' } },
    });
  });

  test('twice changes nothing', async () => {
    const { id } = await create();
    await admin.call(disablePromoCode, { params: { id }, body: {} });
    const { data } = await admin.call(disablePromoCode, { params: { id }, body: { version: 0 } });
    expect(data).toMatchObject({ status: 'DISABLED', version: 1 });
    expect(await entriesOf(testApp, id)).toHaveLength(2);
  });

  test('is refused for a stale version and an unknown code', async () => {
    const { id } = await create();
    await expect(admin.call(disablePromoCode, { params: { id }, body: { version: 7 } })).rejects.toMatchObject({
      status: 409,
      code: 'CHANGED_ELSEWHERE',
    });
    await expect(admin.call(disablePromoCode, { params: { id: randomUUID() }, body: {} })).rejects.toMatchObject({
      status: 404,
      message: 'Promo code not found',
    });
  });

  test('requires the permission to write; finance staff can only read', async () => {
    const finance = await createUser(testApp, { roleName: 'FINANCE' });
    const { id } = await create();
    expect((await finance.call(listPromoCodes, { query: {} })).data.length).toBeGreaterThan(0);
    const refused = { status: 403, code: 'FORBIDDEN' };
    await expect(finance.call(disablePromoCode, { params: { id }, body: {} })).rejects.toMatchObject(refused);
    const body = { code: newCode(), referralEmail: owner.email };
    await expect(finance.call(createPromoCode, { body })).rejects.toMatchObject(refused);
  });
});

test('a promo code is created once for its idempotency key, which cannot be reused', async () => {
  const key = { 'idempotency-key': randomUUID() };
  const terms = { trialCredit: 1.5, trialCreditsMax: 5, budget: 10, reason: 'spring campaign' };
  const body = { code: newCode(), ...terms, expiredAt: '2030-01-01T00:00:00Z' };
  const made = await Promise.all([create(body, key), create(body, key), create(body, key)]);
  expect(new Set(made.map(({ id }) => id)).size).toBe(1);
  expect(await entriesOf(testApp, made[0].id)).toHaveLength(1);
  const reused = { status: 409, code: 'IDEMPOTENCY_KEY_REUSED' };
  await expect(create({ ...body, reason: 'summer campaign' }, key)).rejects.toMatchObject(reused);
  await expect(create({ ...body, budget: 11 }, key)).rejects.toMatchObject(reused);
  await expect(create({ ...body, code: newCode() }, key)).rejects.toMatchObject(reused);
  await expect(create(body)).rejects.toMatchObject({ status: 409, code: 'CODE_EXISTS' });
});

test('the list is filtered by owner, status and the first characters of the code', async () => {
  const user = await createUser(testApp);
  const prefix = newCode();
  const [active, expired, disabled] = [
    await create({ code: `${prefix}-A`, referralEmail: user.email }),
    await create({ code: `${prefix}-B`, referralEmail: user.email, expiredAt: '2020-01-01T00:00:00Z' }),
    await create({ code: `${prefix}-C` }),
  ];
  await admin.call(disablePromoCode, { params: { id: disabled.id }, body: {} });
  const find = async (query: object) =>
    (await admin.call(listPromoCodes, { query })).data.map(({ id }) => id).toReversed();
  expect(await find({ userId: user.id })).toEqual([active.id, expired.id]);
  expect(await find({ code: prefix.toLowerCase() })).toEqual([active.id, expired.id, disabled.id]);
  expect(await find({ code: prefix, status: 'ACTIVE' })).toEqual([active.id]);
  expect(await find({ code: prefix, status: 'EXPIRED' })).toEqual([expired.id]);
  expect(await find({ code: prefix, status: 'DISABLED' })).toEqual([disabled.id]);
  expect(await find({ code: '%%%%%' })).toEqual([]);
  await expect(find({ status: 'GONE' })).rejects.toMatchObject({ code: 'VALIDATION' });
});
