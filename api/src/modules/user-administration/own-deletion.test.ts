import { connect } from '@cellhop/contract/connections';
import { signIn } from '@cellhop/contract/auth';
import { listUserTransactions } from '@cellhop/contract/staff/transactions';
import { deleteAccount, getProfile } from '@cellhop/contract/users';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { balanceOf, createProxy, createUser, PASSWORD, type TestUser } from '../../../test/factories.ts';
import { entriesOf } from '../../../test/audit-log.ts';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { checkInvariants } from '../../db/check-invariants.ts';

let testApp: TestApp;
let admin: TestUser;
beforeAll(async () => {
  testApp = await startTestApp();
  admin = await createUser(testApp, { roleName: 'ADMIN' });
});
afterAll(async () => {
  expect(await checkInvariants(testApp.ctx)).toEqual([]);
  await testApp.stop();
});

const remove = (user: TestUser, body: object = {}) =>
  user.call(deleteAccount, { body: { password: PASSWORD, ...body } });
const statusOf = async ({ id }: TestUser) =>
  (await testApp.database.query<{ status: string }>('select status from users where id = $1', [id]))[0]!.status;

test('a user deletes their account with the password: sessions end, and the email is free again', async () => {
  const user = await createUser(testApp);
  await expect(remove(user, { password: 'another password' })).rejects.toMatchObject({ code: 'WRONG_PASSWORD' });
  expect((await remove(user)).data).toEqual({ isDeleted: true });
  expect(await statusOf(user)).toBe('DELETED');
  await expect(user.call(getProfile, {})).rejects.toMatchObject({ status: 401 });
  const body = { email: user.email, password: PASSWORD };
  await expect(testApp.call(signIn, { body })).rejects.toMatchObject({ code: 'INVALID_CREDENTIALS' });
  expect((await entriesOf(testApp, user.id)).at(-1)).toMatchObject({ action: 'USER_DELETED', actorId: user.id });
});

test('a balance is given up only as far as the user says so, and the ledger keeps it', async () => {
  const user = await createUser(testApp, { balanceMicros: 2_500_000n });
  for (const waived of [{}, { waivedBalance: 2.499999 }])
    await expect(remove(user, waived)).rejects.toMatchObject({ status: 409, code: 'BALANCE_NOT_ZERO' });
  expect(await balanceOf(testApp, user)).toBe(2_500_000n);
  await remove(user, { waivedBalance: 2.5 });
  expect(await statusOf(user)).toBe('DELETED');
  expect(await balanceOf(testApp, user)).toBe(0n);
  const { data } = await admin.call(listUserTransactions, { query: { userId: user.id } });
  expect(data).toMatchObject([
    { kind: 'ADJUSTMENT', amount: -2.5, adjustment: { reason: 'given up with the deletion of the account' } },
    { kind: 'TOP_UP' },
  ]);
});

test('open connections end first, and what they refund is not given up unseen', async () => {
  const user = await createUser(testApp, { balanceMicros: 400_000n });
  await user.call(connect, { body: { id: await createProxy(testApp), price: 0.8 } });
  await expect(remove(user)).rejects.toMatchObject({ code: 'BALANCE_NOT_ZERO' });
  expect(await balanceOf(testApp, user)).toBe(400_000n);
  await remove(user, { waivedBalance: 0.4 });
  expect(await statusOf(user)).toBe('DELETED');
});

test('the last administrator stays', async () => {
  await expect(remove(admin)).rejects.toMatchObject({ status: 409, code: 'LAST_ADMINISTRATOR' });
});
