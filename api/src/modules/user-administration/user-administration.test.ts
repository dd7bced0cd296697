import { refreshTokens, signIn } from '@cellhop/contract/auth';
import { connect, listConnections, type Connection } from '@cellhop/contract/connections';
import { getSettings } from '@cellhop/contract/settings';
import { changeUserStatus } from '@cellhop/contract/staff/users';
import { getProfile } from '@cellhop/contract/users';
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { entriesOf } from '../../../test/audit-log.ts';
import { balanceOf, createProxy, createUser, PASSWORD, type TestUser } from '../../../test/factories.ts';
import { createGatewayRun } from '../../../test/gateway-client.ts';
import { openStream } from '../../../test/live.ts';
import { startSecondApp, startTestApp, type TestApp } from '../../../test/test-app.ts';
import { checkInvariants } from '../../db/check-invariants.ts';
import { endIdleConnections } from '../billing/end-idle-connections.service.ts';
import { registerNode } from '../gateway/gateway.service.ts';

const MB = 1_048_576;

let testApp: TestApp;
let admin: TestUser;
beforeAll(async () => {
  testApp = await startTestApp();
  await registerNode(testApp.ctx);
  admin = await createUser(testApp, { roleName: 'ADMIN' });
});
afterAll(async () => {
  expect(await checkInvariants(testApp.ctx)).toEqual([]);
  await testApp.stop();
});

const change = (actor: TestUser, id: string, status: 'ACTIVE' | 'BLOCKED', reason = 'chargebacks') =>
  actor.call(changeUserStatus, { params: { id }, body: { status, reason } });
const block = (user: TestUser) => change(admin, user.id, 'BLOCKED');
const customer = () => createUser(testApp, { balanceMicros: 5_000_000n });
const buy = async (user: TestUser): Promise<Connection> =>
  (await user.call(connect, { body: { id: await createProxy(testApp), price: 0.8 } })).data;
const rowOf = async ({ id }: Pick<Connection, 'id'>) => {
  const [row] = await testApp.database.query<{ status: string; ending: string | null; refund: string }>(
    `select status, ending_reason as ending, refund_status as refund from connections where id = $1`,
    [id],
  );
  return row!;
};
/** Holds the account lock of this user, which purchases, reports and blocking need. */
async function holdAccount(user: TestUser): Promise<() => Promise<void>> {
  const holder = new pg.Client({ connectionString: testApp.ctx.config.databaseUrl });
  await holder.connect();
  await holder.query('begin');
  await holder.query('select from accounts where id = $1 for update', [user.accountId]);
  return () => holder.end();
}
/** Resolves when this many transactions wait for a lock. */
async function untilWaiting(count: number): Promise<void> {
  for (;;) {
    const [row] = await testApp.database.query<{ count: number }>(
      `select count(*)::int as count from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    if (row!.count >= count) return;
  }
}

describe('a blocked user', () => {
  test('is refused everywhere: requests, refresh, sign-in, purchase', async () => {
    const user = await customer();
    const session = (await testApp.call(signIn, { body: { email: user.email, password: PASSWORD } })).data;
    expect((await block(user)).data).toMatchObject({ id: user.id, email: user.email, status: 'BLOCKED', version: 1 });
    const refusal = { status: 403, code: 'ACCOUNT_BLOCKED', message: 'Account is blocked' };
    const { accessToken, refreshToken } = session;
    await expect(user.call(getProfile, {})).rejects.toMatchObject(refusal);
    await expect(buy(user)).rejects.toMatchObject(refusal);
    await expect(testApp.call(refreshTokens, { body: { accessToken, refreshToken } })).rejects.toMatchObject(refusal);
    await expect(testApp.call(signIn, { body: { email: user.email, password: PASSWORD } })).rejects.toMatchObject(
      refusal,
    );
  });

  test('loses all connections: one that no gateway serves is ended at once, with the usual refund', async () => {
    const user = await customer();
    const connections = [await buy(user), await buy(user)];
    await block(user);
    for (const connection of connections)
      expect(await rowOf(connection)).toEqual({ status: 'DISCONNECT_ADMIN', ending: 'ADMIN', refund: 'REFUNDED' });
    expect(await balanceOf(testApp, user)).toBe(5_000_000n);
  });

  test('loses all tunnels: the response to the next report ends the connection, and used bytes are charged', async () => {
    const user = await customer();
    const connection = await buy(user);
    const run = createGatewayRun(testApp);
    await run.authorize(connection);
    await run.report(connection.id, 3 * MB);
    await block(user);
    expect(await rowOf(connection)).toMatchObject({ status: 'WORK', ending: 'ADMIN' });
    expect(await run.report(connection.id, 3 * MB, MB)).toMatchObject({ state: 'ended' });
    await run.end(connection.id, 4 * MB);
    expect(await rowOf(connection)).toMatchObject({ status: 'DISCONNECT_ADMIN', refund: 'REFUNDED' });
    expect(await balanceOf(testApp, user)).toBe(5_000_000n - 4n * 8000n);
    expect(await createGatewayRun(testApp).authorize(connection)).toEqual({ isAuthorized: false, reason: 'ADMIN' });
  });

  test('loses open event streams', async () => {
    const user = await customer();
    const stream = await openStream(testApp.url, user);
    await block(user);
    expect(await stream.ended).toBe('ended');
  });

  test('who was blocked by an SQL statement cannot open anything, and the worker ends open connections', async () => {
    const user = await customer();
    const connection = await buy(user);
    await testApp.database.query(`update users set status = 'BLOCKED' where id = $1`, [user.id]);
    expect(await createGatewayRun(testApp).authorize(connection)).toEqual({ isAuthorized: false, reason: 'ADMIN' });
    await endIdleConnections(testApp.ctx);
    expect(await rowOf(connection)).toMatchObject({ status: 'DISCONNECT_ADMIN' });
  });
});

test('a change based on an outdated version is refused', async () => {
  const user = await customer();
  const changeSeen = (status: 'ACTIVE' | 'BLOCKED', version: number) =>
    admin.call(changeUserStatus, { params: { id: user.id }, body: { status, reason: 'chargebacks', version } });
  const { data } = await changeSeen('BLOCKED', 0);
  await expect(changeSeen('ACTIVE', 0)).rejects.toMatchObject({ status: 409, code: 'CHANGED_ELSEWHERE' });
  expect((await changeSeen('ACTIVE', data.version)).data).toMatchObject({ status: 'ACTIVE', version: 2 });
});

describe('concurrently with blocking', () => {
  test('a purchase that waits for it is refused', async () => {
    const user = await customer();
    const letGo = await holdAccount(user);
    const blocking = block(user);
    await untilWaiting(1);
    const purchase = buy(user);
    purchase.catch(() => {});
    await untilWaiting(2);
    await letGo();
    await blocking;
    await expect(purchase).rejects.toMatchObject({ status: 403, code: 'ACCOUNT_BLOCKED' });
    expect(await balanceOf(testApp, user)).toBe(5_000_000n);
  });

  test('a purchase that comes first is ended with the others', async () => {
    const user = await customer();
    const letGo = await holdAccount(user);
    const purchase = buy(user);
    await untilWaiting(1);
    const blocking = block(user);
    await untilWaiting(2);
    await letGo();
    await blocking;
    expect(await rowOf(await purchase)).toMatchObject({ status: 'DISCONNECT_ADMIN' });
  });

  test('neither purchases nor authorizations leave an open connection, in any order', async () => {
    const user = await customer();
    const connection = await buy(user);
    const runs = Array.from({ length: 5 }, () => createGatewayRun(testApp));
    await Promise.allSettled([
      ...Array.from({ length: 5 }, () => buy(user)),
      ...runs.map((run) => run.authorize(connection)),
      block(user),
      ...Array.from({ length: 5 }, () => buy(user)),
    ]);
    const open = await testApp.database.query(
      `select id from connections where user_id = $1 and status = 'WORK' and ending_at is null`,
      [user.id],
    );
    expect(open).toEqual([]);
    for (const run of runs) {
      expect(await run.report(connection.id, 0, MB).catch(() => ({ state: 'ended' }))).toMatchObject({
        state: 'ended',
      });
      await run.end(connection.id, 0);
    }
  });
});

describe('changing the status', () => {
  test('is recorded in the audit log with actor and reason; a repetition changes nothing', async () => {
    const user = await customer();
    await buy(user);
    await change(admin, user.id, 'BLOCKED', 'stolen cards');
    await change(admin, user.id, 'BLOCKED');
    await change(admin, user.id, 'ACTIVE', 'a mistake');
    const entries = (await entriesOf(testApp, user.id)).slice(1);
    expect(entries).toEqual([
      expect.objectContaining({
        action: 'USER_BLOCKED',
        actorId: admin.id,
        details: {
          reason: 'stolen cards',
          endedConnections: 1,
          before: { status: 'ACTIVE' },
          after: { status: 'BLOCKED' },
        },
      }),
      expect.objectContaining({
        action: 'USER_UNBLOCKED',
        actorId: admin.id,
        details: {
          reason: 'a mistake',
          endedSessions: 1,
          before: { status: 'BLOCKED' },
          after: { status: 'ACTIVE' },
        },
      }),
    ]);
  });

  test('back restores neither sessions nor connections; the user signs in and buys again', async () => {
    const user = await customer();
    await buy(user);
    await block(user);
    await change(admin, user.id, 'ACTIVE');
    await expect(user.call(getProfile, {})).rejects.toMatchObject({ status: 401 });
    const { data } = await testApp.call(signIn, { body: { email: user.email, password: PASSWORD } });
    const headers = { authorization: `Bearer ${data.accessToken}` };
    const listed = await testApp.call(listConnections, { query: {} }, { headers });
    expect(listed.data.map(({ status }) => status)).toEqual(['DISCONNECT_ADMIN']);
    const body = { id: await createProxy(testApp), price: 0.8 };
    expect((await testApp.call(connect, { body }, { headers })).data.status).toBe('WORK');
  });

  test('requires USERS_EDIT, a user, a known status and a reason', async () => {
    const [support, user] = [await createUser(testApp, { roleName: 'SUPPORT' }), await customer()];
    await expect(change(support, user.id, 'BLOCKED')).rejects.toMatchObject({ status: 403, code: 'FORBIDDEN' });
    await expect(change(admin, randomUUID(), 'BLOCKED')).rejects.toMatchObject({ status: 404 });
    await expect(change(admin, user.id, 'DELETED' as never)).rejects.toMatchObject({ code: 'VALIDATION' });
    await expect(change(admin, user.id, 'BLOCKED', ' ')).rejects.toMatchObject({ code: 'VALIDATION' });
  });

  test('never blocks the last administrator, not even when two block each other concurrently', async () => {
    await expect(block(admin)).rejects.toMatchObject({ status: 409, code: 'LAST_ADMINISTRATOR' });
    const other = await createUser(testApp, { roleName: 'ADMIN' });
    const results = await Promise.allSettled([block(other), change(other, admin.id, 'BLOCKED')]);
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const active = await testApp.database.query(`select id from users where role_name = 'ADMIN' and status = 'ACTIVE'`);
    expect(active).toHaveLength(1);
    await testApp.database.query(`update users set status = 'ACTIVE' where id = $1`, [admin.id]);
  });
});

test('the contact address of the settings is public', async () => {
  expect((await testApp.call(getSettings, {})).data.contactEmail).toBeNull();
  const other = await startSecondApp(testApp, { contactEmail: 'help@example.com' });
  expect((await other.call(getSettings, {})).data.contactEmail).toBe('help@example.com');
  await other.stop();
});
