import { listConnections, connect } from '@cellhop/contract/connections';
import { type ApiError } from '@cellhop/contract/client';
import { VIEWS_PER_HOUR_MAX } from '@cellhop/contract/limits';
import { LIVE_EVENTS_PATH } from '@cellhop/contract/live.values';
import { listNotifications } from '@cellhop/contract/notifications';
import { endView, startView, type View } from '@cellhop/contract/staff/view-as';
import { logout, refreshTokens } from '@cellhop/contract/auth';
import { listTransactions } from '@cellhop/contract/transactions';
import { getProfile, updateProfile } from '@cellhop/contract/users';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { entriesOf } from '../../../test/audit-log.ts';
import { createProxy, createUser, type TestUser } from '../../../test/factories.ts';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { deleteExpired } from './auth.service.ts';
import { createTestClient } from '../../../test/test-client.ts';

const REASON = 'they cannot find an invoice';

let testApp: TestApp;
beforeAll(async () => {
  testApp = await startTestApp();
});
afterAll(() => testApp.stop());

const customer = () => createUser(testApp, { balanceMicros: 5_000_000n });
const admin = () => createUser(testApp, { roleName: 'ADMIN' });
const start = async (viewer: TestUser, user: TestUser): Promise<View> =>
  (await viewer.call(startView, { params: { id: user.id }, body: { reason: REASON } })).data;
const headersOf = ({ accessToken }: View) => ({ authorization: `Bearer ${accessToken}` });
const callAs = (view: View) => createTestClient({ baseUrl: testApp.url, headers: () => headersOf(view) });
const status = async (view: View, path: string, method = 'GET') =>
  (await fetch(testApp.url + path, { method, headers: headersOf(view) })).status;

describe('seeing the app as a user', () => {
  test('shows what the user sees, without passwords', async () => {
    const user = await customer();
    const { data: bought } = await user.call(connect, { body: { id: await createProxy(testApp), price: 0.8 } });
    const call = callAs(await start(await admin(), user));
    expect((await call(getProfile, {})).data).toMatchObject({ id: user.id, balance: 4.6 });
    const [connection] = (await call(listConnections, { query: {} })).data;
    expect(connection).toMatchObject({ id: bought.id, username: bought.username, password: null });
    expect(JSON.stringify(connection)).not.toContain(bought.password!);
    expect((await call(listTransactions, { query: {} })).data).toHaveLength(2);
  });

  test('is read-only: other methods, exports and live events are refused', async () => {
    const user = await customer();
    const { data: bought } = await user.call(connect, { body: { id: await createProxy(testApp), price: 0.8 } });
    const view = await start(await admin(), user);
    const call = callAs(view);
    const refusal = { status: 403, code: 'VIEW_ONLY' };
    await expect(call(updateProfile, { body: { languageCode: 'ru' } })).rejects.toMatchObject(refusal);
    await expect(call(logout, {})).rejects.toMatchObject(refusal);
    for (const path of [
      '/v1/transactions/export',
      `/v1/proxies/connections/${bought.id}/receipt`,
      LIVE_EVENTS_PATH,
      '/v1/users/admin',
      '/v1/support/admin/tickets',
    ])
      expect(`${path} ${await status(view, path)}`).toMatch(/ 40[34]$/);
    const tokens = { accessToken: view.accessToken, refreshToken: 'x'.repeat(43) };
    await expect(testApp.call(refreshTokens, { body: tokens })).rejects.toMatchObject({ code: 'REFRESH_REJECTED' });
  });

  test('does not give the permissions of the viewed member of staff', async () => {
    const other = await admin();
    const call = callAs(await start(await admin(), other));
    expect((await call(getProfile, {})).data.role.permissions).toEqual([]);
  });

  test('needs every permission of the viewed member of staff, as long as it lasts', async () => {
    await testApp.database.query(
      "insert into roles (name, permissions) values ('VIEWERS', '{USERS_READ,USERS_VIEW_AS,TICKETS_READ}')",
    );
    const viewer = await createUser(testApp, { roleName: 'VIEWERS' });
    const refusal = { status: 403, code: 'PERMISSION_LACKING' };
    for (const roleName of ['ADMIN', 'SUPPORT'])
      await expect(start(viewer, await createUser(testApp, { roleName }))).rejects.toMatchObject(refusal);
    const user = await customer();
    const call = callAs(await start(viewer, user));
    expect((await call(getProfile, {})).data.id).toBe(user.id);
    await testApp.database.query("update users set role_name = 'SUPPORT' where id = $1", [user.id]);
    await expect(call(getProfile, {})).rejects.toMatchObject({ status: 401 });
  });

  test('notifies the user, and is recorded with the member of staff as the actor', async () => {
    const user = await customer();
    const viewer = await admin();
    const { id } = await start(viewer, user);
    expect((await user.call(listNotifications, { query: {} })).data[0]).toMatchObject({
      description: 'The support team is viewing your account.',
    });
    await viewer.call(endView, { params: { id } });
    expect((await entriesOf(testApp, user.id)).slice(-2)).toMatchObject([
      { action: 'USER_VIEWED', actorId: viewer.id, details: { viewId: id, reason: REASON } },
      { action: 'USER_VIEW_ENDED', actorId: viewer.id, details: { viewId: id } },
    ]);
  });

  test('needs the permission, a reason, and another user who exists', async () => {
    const user = await customer();
    const viewer = await admin();
    const support = await createUser(testApp, { roleName: 'SUPPORT' });
    await expect(start(support, user)).rejects.toMatchObject({ code: 'FORBIDDEN' });
    const body = { reason: 'no' };
    await expect(viewer.call(startView, { params: { id: user.id }, body })).rejects.toMatchObject({ status: 400 });
    await expect(start(viewer, viewer)).rejects.toMatchObject({ status: 404 });
    await expect(start(viewer, { ...user, id: randomUUID() })).rejects.toMatchObject({ status: 404 });
  });
});

test('a member of staff can begin 20 views within an hour', async () => {
  const [user, viewer] = [await customer(), await admin()];
  for (let count = 0; count < VIEWS_PER_HOUR_MAX; count++) await start(viewer, user);
  const refusal = start(viewer, await customer());
  await expect(refusal).rejects.toMatchObject({ status: 429, code: 'TOO_MANY_VIEWS' });
  const { retryAfterSeconds } = (await refusal.catch((error: unknown) => error)) as ApiError;
  expect(retryAfterSeconds).toBeGreaterThan(3500);
  expect(retryAfterSeconds).toBeLessThanOrEqual(3600);
  await start(await admin(), user);
});

describe('a view ends', () => {
  test('when the member of staff ends it; only they can', async () => {
    const viewer = await admin();
    const view = await start(viewer, await customer());
    const call = (by: TestUser) => by.call(endView, { params: { id: view.id } });
    await expect(call(await admin())).rejects.toMatchObject({ status: 404 });
    expect(await status(view, '/v1/profile')).toBe(200);
    await call(viewer);
    expect(await status(view, '/v1/profile')).toBe(401);
    await expect(call(viewer)).rejects.toMatchObject({ status: 404 });
  });

  test('after 30 minutes, and is deleted later', async () => {
    const view = await start(await admin(), await customer());
    const minutes = (view.expiredAccessTokenAt - Date.now()) / 60_000;
    expect(minutes).toBeGreaterThan(29);
    expect(minutes).toBeLessThanOrEqual(30);
    await testApp.database.query('update view_sessions set expired_at = now() where id = $1', [view.id]);
    expect(await status(view, '/v1/profile')).toBe(401);
    await testApp.database.query(`update view_sessions set expired_at = now() - interval '2 days' where id = $1`, [
      view.id,
    ]);
    await deleteExpired(testApp.ctx);
    expect(await testApp.database.query('select from view_sessions where id = $1', [view.id])).toEqual([]);
  });

  test.each([
    ['signs out', (viewer: TestUser) => viewer.call(logout, {})],
    [
      'loses the permission',
      (viewer: TestUser) => testApp.database.query(`update users set role_name = 'USER' where id = $1`, [viewer.id]),
    ],
    [
      'is blocked',
      (viewer: TestUser) => testApp.database.query(`update users set status = 'BLOCKED' where id = $1`, [viewer.id]),
    ],
  ])('when the member of staff %s', async (_name, act) => {
    const viewer = await admin();
    const view = await start(viewer, await customer());
    await act(viewer);
    expect(await status(view, '/v1/profile')).toBe(401);
  });
});
