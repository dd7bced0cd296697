import { recoverPassword, refreshTokens, setPassword, signIn, signUp } from '@cellhop/contract/auth';
import { connect } from '@cellhop/contract/connections';
import { deleteUser, listUsers } from '@cellhop/contract/staff/users';
import { getProfile } from '@cellhop/contract/users';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { entriesOf } from '../../../test/audit-log.ts';
import { balanceOf, createProxy, createUser, PASSWORD, type TestUser } from '../../../test/factories.ts';
import { createGatewayRun } from '../../../test/gateway-client.ts';
import { openStream } from '../../../test/live.ts';
import { newestLink, startTestAppWithMail } from '../../../test/mail.ts';
import { activateSecondFactor } from '../../../test/second-factor.ts';
import type { TestApp } from '../../../test/test-app.ts';
import { checkInvariants } from '../../db/check-invariants.ts';
import { registerNode } from '../gateway/gateway.service.ts';

const MB = 1_048_576;
const reason = 'asked for it by mail';

let testApp: TestApp;
let admin: TestUser;
beforeAll(async () => {
  testApp = await startTestAppWithMail();
  await registerNode(testApp.ctx);
  admin = await createUser(testApp, { roleName: 'ADMIN' });
});
afterAll(async () => {
  expect(await checkInvariants(testApp.ctx)).toEqual([]);
  await testApp.stop();
});

const remove = (user: TestUser, actor = admin) => actor.call(deleteUser, { params: { id: user.id }, body: { reason } });
const rowOf = async ({ id }: TestUser) => {
  const [row] = await testApp.database.query<Record<string, unknown>>(
    `select email, status, role_name as "roleName", second_factor_at as "secondFactorAt",
            (select count(*)::int from known_devices where user_id = users.id) as devices,
            (select count(*)::int from second_factors where user_id = users.id) as secrets,
            (select count(*)::int from sessions where user_id = users.id and revoked_at is null) as sessions
       from users where id = $1`,
    [id],
  );
  return row!;
};

test('a deleted user has no email, sessions, devices, role or second factor any more, and open pages end', async () => {
  const user = await createUser(testApp, { roleName: 'SUPPORT' });
  await activateSecondFactor(testApp, user);
  const stream = await openStream(testApp.url, user);
  const { data } = await remove(user);
  expect(data).toMatchObject({ status: 'DELETED', role: { name: 'USER' }, hasSecondFactor: false, version: 1 });
  expect(Date.parse(data.deletedAt!)).toBeLessThanOrEqual(Date.now());
  expect(await rowOf(user)).toEqual({
    email: expect.stringMatching(/^deleted:[0-9a-f]{32}$/) as string,
    status: 'DELETED',
    roleName: 'USER',
    secondFactorAt: null,
    devices: 0,
    secrets: 0,
    sessions: 0,
  });
  expect(await stream.ended).toBe('ended');
  expect((await admin.call(listUsers, { query: { email: user.email } })).data).toEqual([]);
  expect((await entriesOf(testApp, user.id)).at(-1)).toMatchObject({
    action: 'USER_DELETED',
    actorId: admin.id,
    details: { reason, before: { status: 'ACTIVE', role: 'SUPPORT' }, after: { status: 'DELETED' } },
  });
});

test('a deleted user cannot sign in, refresh or recover; the same email can sign up again', async () => {
  const user = await createUser(testApp);
  const { email } = user;
  const session = (await testApp.call(signIn, { body: { email, password: PASSWORD } })).data;
  await testApp.call(recoverPassword, { body: { email } });
  const code = (await newestLink(testApp, email)).searchParams.get('code')!;
  await remove(user);
  await expect(user.call(getProfile, {})).rejects.toMatchObject({ status: 401 });
  await expect(testApp.call(signIn, { body: { email, password: PASSWORD } })).rejects.toMatchObject({
    code: 'INVALID_CREDENTIALS',
  });
  const { accessToken, refreshToken } = session;
  await expect(testApp.call(refreshTokens, { body: { accessToken, refreshToken } })).rejects.toMatchObject({
    code: 'REFRESH_REJECTED',
  });
  await expect(testApp.call(setPassword, { body: { code, password: PASSWORD } })).rejects.toMatchObject({
    code: 'SESSION_NOT_FOUND',
  });
  const body = { languageCode: 'en' as const, email, password: PASSWORD, referralCode: admin.referralCode };
  await testApp.call(signUp, { body });
  const { data } = await admin.call(listUsers, { query: { email } });
  expect(data).toMatchObject([{ email, status: 'ACTIVE', isConfirmedEmail: false }]);
  expect(data[0]!.id).not.toBe(user.id);
});

test('an account with a balance is not deleted, and its connections stay', async () => {
  const user = await createUser(testApp, { balanceMicros: 1_000_000n });
  await user.call(connect, { body: { id: await createProxy(testApp), price: 0.8 } });
  await expect(remove(user)).rejects.toMatchObject({ status: 409, code: 'BALANCE_NOT_ZERO' });
  const open = await testApp.database.query(`select from connections where user_id = $1 and status = 'WORK'`, [
    user.id,
  ]);
  expect(open).toHaveLength(1);
  expect((await rowOf(user))['status']).toBe('ACTIVE');
});

test('open connections end first; if that refunds money, the account stays', async () => {
  const user = await createUser(testApp, { balanceMicros: 400_000n });
  await user.call(connect, { body: { id: await createProxy(testApp), price: 0.8 } });
  await expect(remove(user)).rejects.toMatchObject({ code: 'BALANCE_NOT_ZERO' });
  expect(await balanceOf(testApp, user)).toBe(400_000n);
  expect((await entriesOf(testApp, user.id)).at(-1)).toMatchObject({
    action: 'USER_CONNECTIONS_ENDED',
    details: { reason, endedConnections: 1 },
  });
  expect((await rowOf(user))['status']).toBe('ACTIVE');
});

test('a connection that a gateway serves sends its last report before the account is deleted', async () => {
  const user = await createUser(testApp, { balanceMicros: 400_000n });
  const { data: connection } = await user.call(connect, { body: { id: await createProxy(testApp), price: 0.8 } });
  const run = createGatewayRun(testApp);
  await run.authorize(connection);
  // The 50th megabyte has begun, so nothing is refunded.
  const usedBytes = 49 * MB + 1;
  await run.report(connection.id, usedBytes);
  const removing = remove(user);
  removing.catch(() => {});
  await expect.poll(async () => (await run.report(connection.id, usedBytes)).state, { interval: 20 }).toBe('ended');
  await run.end(connection.id, usedBytes);
  expect((await removing).data).toMatchObject({ status: 'DELETED', balance: 0 });
  const [row] = await testApp.database.query<{ status: string; refund: string }>(
    'select status, refund_status as refund from connections where id = $1',
    [connection.id],
  );
  expect(row).toEqual({ status: 'DISCONNECT_ADMIN', refund: 'NONE' });
});

test('requires USERS_EDIT, an existing user and a reason', async () => {
  const [support, user] = [await createUser(testApp, { roleName: 'SUPPORT' }), await createUser(testApp)];
  await expect(remove(user, support)).rejects.toMatchObject({ status: 403, code: 'FORBIDDEN' });
  await expect(remove({ ...user, id: randomUUID() })).rejects.toMatchObject({ status: 404 });
  await expect(admin.call(deleteUser, { params: { id: user.id }, body: { reason: ' ' } })).rejects.toMatchObject({
    code: 'VALIDATION',
  });
  await remove(user);
  await expect(remove(user)).rejects.toMatchObject({ status: 404 });
});

test('a user who was changed after the page was loaded is not deleted', async () => {
  const user = await createUser(testApp);
  const removeSeen = (version: number) =>
    admin.call(deleteUser, { params: { id: user.id }, body: { reason, version } });
  await expect(removeSeen(7)).rejects.toMatchObject({ status: 409, code: 'CHANGED_ELSEWHERE' });
  expect((await removeSeen(0)).data.status).toBe('DELETED');
});

test('the last administrator is not deleted', async () => {
  await expect(remove(admin)).rejects.toMatchObject({ status: 409, code: 'LAST_ADMINISTRATOR' });
});
