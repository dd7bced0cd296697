/**
 * A person is a normalized address: another account of the author, the approver or the customer changes nothing.
 * @module-tag thorough
 */
import { approveAdjustment, approveSettlement, listAdjustmentRequests } from '@cellhop/contract/staff/approvals';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { balanceOf, createUser, type TestUser } from '../../../test/factories.ts';
import { newInvoice } from '../../../test/sandbox-payments.ts';
import { adjust, settle } from '../../../test/staff-requests.ts';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { checkInvariants } from '../../db/check-invariants.ts';
import { lapseRequests } from './approvals.service.ts';

let testApp: TestApp;
let second: TestUser;
beforeAll(async () => {
  testApp = await startTestApp();
  second = await createUser(testApp, { roleName: 'FINANCE' });
});
afterAll(async () => {
  expect(await checkInvariants(testApp.ctx)).toEqual([]);
  await testApp.stop();
});

/** Accounts of one person, at a provider that ignores dots too. */
async function accountsOf(roles: readonly string[], referrerId?: string): Promise<TestUser[]> {
  const name = `p${randomUUID().replaceAll('-', '')}`;
  const addresses = [
    `${name}@gmail.com`,
    `${name}+two@gmail.com`,
    `${name.slice(0, 5)}.${name.slice(5)}@googlemail.com`,
  ];
  const made: TestUser[] = [];
  for (const [index, roleName] of roles.entries()) {
    const options = { roleName, email: addresses[index]! };
    made.push(await createUser(testApp, referrerId === undefined ? options : { ...options, referrerId }));
  }
  return made;
}

const approve = (staff: TestUser, { id }: { id: string }) =>
  staff.call(approveAdjustment, { params: { id }, body: {} });
const approveInvoice = (staff: TestUser, { id }: { id: string }) =>
  staff.call(approveSettlement, { params: { id }, body: {} });
const ownRequest = { status: 409, code: 'OWN_REQUEST' };

describe('one person with several accounts', () => {
  test('does not approve what they asked for', async () => {
    const [author, alias] = await accountsOf(['FINANCE', 'FINANCE']);
    const request = await adjust(author!, await createUser(testApp), 500);
    await expect(approve(alias!, request)).rejects.toMatchObject(ownRequest);
    const listed = await alias!.call(listAdjustmentRequests, { query: { status: 'PENDING', size: 100 } });
    expect(listed.data.find(({ id }) => id === request.id)).toMatchObject({ isOthers: false });
  });

  test('does not approve what they receive', async () => {
    const [approver, customer] = await accountsOf(['FINANCE', 'USER']);
    const author = await createUser(testApp, { roleName: 'FINANCE' });
    const request = await adjust(author, customer!, 500);
    await expect(approve(approver!, request)).rejects.toMatchObject(ownRequest);
    expect((await approve(second, request)).data.status).toBe('APPROVED');
  });

  test('needs approval for each change of their own balance', async () => {
    const [author, , alias] = await accountsOf(['FINANCE', 'USER', 'USER']);
    expect((await adjust(author!, alias!, 0.01)).status).toBe('PENDING');
    expect(await balanceOf(testApp, alias!)).toBe(0n);
  });

  test('needs approval for a settlement whose bonus they earn, and does not approve it', async () => {
    const [author, referrer, approver] = await accountsOf(['FINANCE', 'USER', 'FINANCE']);
    const invoice = await newInvoice(await createUser(testApp, { referrerId: referrer!.id }));
    const request = await settle(author!, invoice);
    expect(request.status).toBe('PENDING');
    await expect(approveInvoice(approver!, request)).rejects.toMatchObject(ownRequest);
    const other = await newInvoice(await createUser(testApp, { referrerId: referrer!.id }), 'BTC', 200);
    const asked = await settle(second, other);
    await expect(approveInvoice(approver!, asked)).rejects.toMatchObject(ownRequest);
  });

  test('has one sum of the day as a customer', async () => {
    const accounts = await accountsOf(['USER', 'USER', 'USER']);
    const outcomes: string[] = [];
    for (const account of accounts)
      outcomes.push((await adjust(await createUser(testApp, { roleName: 'FINANCE' }), account, 50)).status);
    expect(outcomes).toEqual(['APPLIED', 'APPLIED', 'PENDING']);
  });

  test('has one sum of the day as an author, for all customers, also with concurrent requests', async () => {
    const authors = await accountsOf(['FINANCE', 'FINANCE', 'FINANCE']);
    const customers = await Promise.all(authors.map(() => createUser(testApp)));
    const made = await Promise.all(authors.map((author, index) => adjust(author, customers[index]!, 40)));
    expect(made.map(({ status }) => status).sort()).toEqual(['APPLIED', 'APPLIED', 'PENDING']);
  });
});

test('what a second person has approved does not count for the author', async () => {
  const author = await createUser(testApp, { roleName: 'FINANCE' });
  await approve(second, await adjust(author, await createUser(testApp), 500));
  expect((await adjust(author, await createUser(testApp), 100)).status).toBe('APPLIED');
});

describe('a request lapses', () => {
  test.each([
    ['is blocked', "update users set status = 'BLOCKED' where id = $1"],
    ['loses the permission', "update users set role_name = 'SUPPORT' where id = $1"],
    ['is deleted', "update users set status = 'DELETED', email = 'deleted:' || id, role_name = 'USER' where id = $1"],
  ])('if its author %s', async (_case, change) => {
    const [author, user] = [await createUser(testApp, { roleName: 'FINANCE' }), await createUser(testApp)];
    const request = await adjust(author, user, 500);
    await testApp.database.query(change, [author.id]);
    const find = async (status: 'PENDING' | 'LAPSED') =>
      (await second.call(listAdjustmentRequests, { query: { userId: user.id, status } })).data.map(({ id }) => id);
    expect(await find('PENDING')).toEqual([]);
    expect(await find('LAPSED')).toEqual([request.id]);
    await expect(approve(second, request)).rejects.toMatchObject({ status: 409, code: 'REQUEST_LAPSED' });
    await lapseRequests(testApp.ctx);
    // Once it is saved, the author does not get it back with their role.
    await testApp.database.query("update users set status = 'ACTIVE', role_name = 'FINANCE' where id = $1", [
      author.id,
    ]);
    expect(await find('LAPSED')).toEqual([request.id]);
    expect(await balanceOf(testApp, user)).toBe(0n);
  });
});
