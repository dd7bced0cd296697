/** @module-tag thorough */
import { signUp } from '@cellhop/contract/auth';
import {
  approveAdjustment,
  approvePromoCode,
  listPromoCodeRequests,
  rejectPromoCode,
} from '@cellhop/contract/staff/approvals';
import { changeRole } from '@cellhop/contract/staff/roles';
import { changeUserRole, changeUserStatus } from '@cellhop/contract/staff/users';
import type { Permission } from '@cellhop/contract/permissions';
import { createPromoCode, disablePromoCode, listPromoCodes } from '@cellhop/contract/staff/promo-codes';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { actionsOf, entriesOf } from '../../../test/audit-log.ts';
import { createUser, PASSWORD, type TestUser } from '../../../test/factories.ts';
import { adjust, offer, REASON } from '../../../test/staff-requests.ts';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { checkInvariants } from '../../db/check-invariants.ts';

let testApp: TestApp;
let owner: TestUser;
let second: TestUser;
beforeAll(async () => {
  testApp = await startTestApp();
  // A role with this permission alone, as an attacker would have it.
  await testApp.database.query(
    "insert into roles (name, permissions) values ('PROMOTERS', '{PROMO_CODES_READ,PROMO_CODES_WRITE}')",
  );
  second = await createUser(testApp, { roleName: 'PROMOTERS' });
});
// Each has a sum of the day of their own.
beforeEach(async () => {
  owner = await createUser(testApp);
});
afterAll(async () => {
  expect(await checkInvariants(testApp.ctx)).toEqual([]);
  await testApp.stop();
});

/** As above. */
const newAuthor = (options: { email?: string } = {}) => createUser(testApp, { roleName: 'PROMOTERS', ...options });
const signUpWith = (referralCode: string) =>
  testApp.call(signUp, {
    body: { languageCode: 'en', email: `${randomUUID()}@example.com`, password: PASSWORD, referralCode },
  });
const requestOf = async ({ id }: { id: string }) => {
  const { data } = await second.call(listPromoCodeRequests, { query: { size: 100 } });
  return data.find(({ promoCode }) => promoCode?.id === id);
};
const reload = async ({ code }: { code: string }) => (await second.call(listPromoCodes, { query: { code } })).data[0]!;
const large = { trialCredit: 1000, trialCreditsMax: 5, budget: 5000 };
const refused = { code: 'REFERRAL_CODE_NOT_FOUND' };

describe('a promo code with a credit', () => {
  test.each([
    [['trialCreditsMax'], { trialCreditsMax: undefined }],
    [['budget'], { budget: undefined }],
    [['reason'], { reason: undefined }],
    [['trialCreditsMax', 'budget', 'reason'], { trialCreditsMax: undefined, budget: undefined, reason: undefined }],
  ])('needs %j', async (fields, missing) => {
    await expect(offer(await newAuthor(), owner, missing)).rejects.toMatchObject({
      code: 'VALIDATION',
      body: {
        details: fields.map((field) => ({ path: `body.${field}`, message: 'is required for a trial credit' })),
      },
    });
  });

  test('works at once if all that it can pay is within the limit', async () => {
    const made = await offer(await newAuthor(), owner, { trialCredit: 10, trialCreditsMax: 10, budget: 100 });
    expect(made).toMatchObject({ status: 'ACTIVE', heldBecause: null });
    await signUpWith(made.code);
    expect(await requestOf(made)).toMatchObject({ kind: 'PROMO_CODE', status: 'APPLIED', amount: 100, reason: REASON });
  });

  test('waits for a second person above the limit: it cannot be used to sign up before', async () => {
    const author = await newAuthor();
    const made = await offer(author, owner, large);
    expect(made).toMatchObject({ status: 'DISABLED', heldBecause: 'APPROVAL' });
    await expect(signUpWith(made.code)).rejects.toMatchObject(refused);
    const request = (await requestOf(made))!;
    expect(request).toMatchObject({
      status: 'PENDING',
      amount: 5000,
      user: { id: owner.id },
      promoCode: { code: made.code, trialCredit: 1000, trialCreditsMax: 5 },
      isOthers: true,
    });
    const approving = { params: { id: request.id }, body: {} };
    await expect(author.call(approvePromoCode, approving)).rejects.toMatchObject({ code: 'OWN_REQUEST' });
    const admin = await createUser(testApp, { roleName: 'ADMIN' });
    await expect(admin.call(approveAdjustment, approving)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await second.call(approvePromoCode, approving);
    expect(await reload(made)).toMatchObject({ status: 'ACTIVE', heldBecause: null, version: 1 });
    await signUpWith(made.code);
    expect((await entriesOf(testApp, made.id)).map(({ action, actorId }) => [action, actorId])).toEqual([
      ['PROMO_CODE_CREATED', author.id],
      ['PROMO_CODE_APPROVED', second.id],
    ]);
  });

  test('stays disabled if it is rejected', async () => {
    const made = await offer(await newAuthor(), owner, large);
    const { id } = (await requestOf(made))!;
    await second.call(rejectPromoCode, { params: { id }, body: { reason: REASON } });
    expect(await reload(made)).toMatchObject({ status: 'DISABLED', heldBecause: null });
    await expect(signUpWith(made.code)).rejects.toMatchObject(refused);
  });

  test('counts with all other requests of its author and for its owner', async () => {
    const [author, other] = [await newAuthor(), await createUser(testApp)];
    await offer(author, owner, { trialCredit: 6, trialCreditsMax: 10, budget: 60 });
    const next = { trialCredit: 5, trialCreditsMax: 10, budget: 50 };
    expect(await offer(author, other, next)).toMatchObject({ heldBecause: 'APPROVAL' });
    const finance = await createUser(testApp, { roleName: 'FINANCE' });
    expect((await adjust(finance, owner, 60)).status).toBe('PENDING');
  });

  test('without a credit needs nothing of this', async () => {
    const body = { code: 'NO-CREDIT_1', referralEmail: owner.email };
    const { data } = await (await newAuthor()).call(createPromoCode, { body });
    expect(data).toMatchObject({ status: 'ACTIVE', heldBecause: null });
    expect(await requestOf(data)).toBeUndefined();
  });

  test('is made once per idempotency key, with one request', async () => {
    const [author, key, code] = [await newAuthor(), randomUUID(), randomUUID().slice(0, 20)];
    const made = await Promise.all([1, 2, 3].map(() => offer(author, owner, { ...large, code }, key)));
    expect(new Set(made.map(({ id }) => id)).size).toBe(1);
    const { data } = await second.call(listPromoCodeRequests, { query: { userId: owner.id, size: 100 } });
    expect(data.filter(({ promoCode }) => promoCode?.id === made[0]!.id)).toHaveLength(1);
  });
});

test('a promo code has another owner than its author, also with another account of theirs', async () => {
  const name = randomUUID();
  const author = await newAuthor({ email: `${name}@example.com` });
  const alias = await createUser(testApp, { email: `${name}+shop@example.com` });
  const refusal = { status: 409, code: 'OWN_PROMO_CODE' };
  for (const account of [author, alias]) {
    await expect(offer(author, account)).rejects.toMatchObject(refusal);
    await expect(offer(author, account, { trialCredit: 0 })).rejects.toMatchObject(refusal);
  }
});

const disable = (by: TestUser, { id }: { id: string }, version?: number) =>
  by.call(disablePromoCode, { params: { id }, body: { reason: 'a mistake', version } });

describe('disabling a code that waits for approval', () => {
  test('rejects its request, once and audited, and no approval follows', async () => {
    const [author, approver] = [await newAuthor(), await newAuthor()];
    const made = await offer(author, owner, large);
    const { data } = await disable(author, made, made.version);
    expect(data).toMatchObject({ status: 'DISABLED', heldBecause: null });
    const request = (await requestOf(made))!;
    expect(request).toMatchObject({ status: 'REJECTED', decisionReason: 'a mistake' });
    await expect(
      approver.call(approvePromoCode, { params: { id: request.id }, body: { reason: REASON } }),
    ).rejects.toMatchObject({ code: 'REQUEST_DECIDED' });
    await disable(approver, made);
    await expect(signUpWith(made.code)).rejects.toMatchObject(refused);
    expect(await actionsOf(testApp, made.id)).toEqual(['PROMO_CODE_CREATED', 'PROMO_CODE_DISABLED']);
    expect(await actionsOf(testApp, request.id)).toEqual(['APPROVAL_REQUESTED', 'REQUEST_REJECTED']);
  });

  test('is refused with an outdated version', async () => {
    const made = await offer(await newAuthor(), owner, large);
    await expect(disable(second, made, made.version + 1)).rejects.toMatchObject({ code: 'CHANGED_ELSEWHERE' });
    expect(await reload(made)).toMatchObject({ heldBecause: 'APPROVAL' });
  });

  test('at the same time as its approval ends disabled', async () => {
    for (let round = 0; round < 5; round++) {
      const made = await offer(await newAuthor(), owner, large);
      const { id } = (await requestOf(made))!;
      const approval = second.call(approvePromoCode, { params: { id }, body: { reason: REASON } });
      const [approved] = await Promise.allSettled([approval, disable(await newAuthor(), made)]);
      const { status } = (await requestOf(made))!;
      expect(status).toBe(approved.status === 'fulfilled' ? 'APPROVED' : 'REJECTED');
      expect(await reload(made)).toMatchObject({ status: 'DISABLED', heldBecause: null });
      await expect(signUpWith(made.code)).rejects.toMatchObject(refused);
    }
  });
});

test('a code whose author was blocked stays disabled after they are unblocked', async () => {
  const [admin, author] = [await createUser(testApp, { roleName: 'ADMIN' }), await newAuthor()];
  const made = await offer(author, owner, large);
  for (const status of ['BLOCKED', 'ACTIVE'] as const)
    await admin.call(changeUserStatus, { params: { id: author.id }, body: { status, reason: REASON } });
  const request = (await requestOf(made))!;
  expect(request.status).toBe('LAPSED');
  expect(await reload(made)).toMatchObject({ status: 'DISABLED', heldBecause: null });
  await expect(
    second.call(approvePromoCode, { params: { id: request.id }, body: { reason: REASON } }),
  ).rejects.toMatchObject({ code: 'REQUEST_LAPSED' });
});

test.each(['of the user', 'of the role'])(
  'a request lapses for good when its author loses the permission: %s',
  async (way) => {
    const [admin, author] = [await createUser(testApp, { roleName: 'ADMIN' }), await newAuthor()];
    const made = await offer(author, owner, large);
    const setRole = (role: string) =>
      admin.call(changeUserRole, { params: { id: author.id }, body: { role, reason: REASON } });
    const setPermissions = (permissions: Permission[]) =>
      admin.call(changeRole, { params: { name: 'PROMOTERS' }, body: { permissions, reason: REASON } });
    if (way === 'of the user') for (const role of ['USER', 'PROMOTERS']) await setRole(role);
    else {
      await setPermissions(['PROMO_CODES_READ']);
      await setPermissions(['PROMO_CODES_READ', 'PROMO_CODES_WRITE']);
    }
    expect((await requestOf(made))!.status).toBe('LAPSED');
  },
);

test('a code of a blocked owner is not shown as active, and can be disabled for good', async () => {
  const [blocked, author] = [await createUser(testApp), await newAuthor()];
  const made = await offer(author, blocked);
  await testApp.database.query("update users set status = 'BLOCKED' where id = $1", [blocked.id]);
  await expect(signUpWith(made.code)).rejects.toMatchObject(refused);
  expect(await reload(made)).toMatchObject({ status: 'DISABLED', heldBecause: 'OWNER' });
  const find = async (status: 'ACTIVE' | 'DISABLED') =>
    (await author.call(listPromoCodes, { query: { userId: blocked.id, status } })).data.map(({ id }) => id);
  expect(await find('ACTIVE')).toEqual([]);
  expect(await find('DISABLED')).toEqual([made.id]);
  await author.call(disablePromoCode, { params: { id: made.id }, body: { version: made.version } });
  await testApp.database.query("update users set status = 'ACTIVE' where id = $1", [blocked.id]);
  expect(await reload(made)).toMatchObject({ status: 'DISABLED', heldBecause: null });
});

test.each(['PR0M0-АВС', 'SPRING SALE', 'SPRING‑SALE', 'SPRING​SALE', 'ＳＰＲＩＮＧ', 'SPRÍNG'])(
  'a new code that looks like another one is refused: %j',
  async (code) => {
    await expect(offer(await newAuthor(), owner, { code })).rejects.toMatchObject({
      code: 'VALIDATION',
      body: { details: [{ path: 'body.code' }] },
    });
  },
);
