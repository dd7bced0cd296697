import { connect } from '@cellhop/contract/connections';
import { BULK_USERS_MAX } from '@cellhop/contract/limits';
import { blockUsers, changeUserStatus } from '@cellhop/contract/staff/users';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { entriesOf } from '../../../test/audit-log.ts';
import { balanceOf, createProxy, createUser, type TestUser } from '../../../test/factories.ts';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { checkInvariants } from '../../db/check-invariants.ts';
import { registerNode } from '../gateway/gateway.service.ts';

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

const customer = () => createUser(testApp, { balanceMicros: 5_000_000n });
const block = async (actor: TestUser, userIds: string[], reason = 'one person') =>
  (await actor.call(blockUsers, { body: { userIds, reason } })).data;
const blockings = async ({ id }: TestUser) =>
  (await entriesOf(testApp, id)).filter(({ action }) => action === 'USER_BLOCKED');

test('several users are blocked by one request, each with an entry; a repeated one changes nothing', async () => {
  const users = [await customer(), await customer()];
  const { data: connection } = await users[0]!.call(connect, {
    body: { id: await createProxy(testApp), price: 0.8 },
  });
  const ids = users.map(({ id }) => id);
  expect(await block(admin, [...ids, ids[0]!])).toEqual(
    ids.map((userId) => ({ userId, outcome: 'BLOCKED', refusal: null })),
  );
  for (const [index, user] of users.entries()) {
    const entries = await blockings(user);
    expect(entries).toHaveLength(1);
    expect(entries[0]).toMatchObject({
      actorId: admin.id,
      details: { reason: 'one person', endedConnections: index === 0 ? 1 : 0, after: { status: 'BLOCKED' } },
    });
  }
  const [row] = await testApp.database.query('select status from connections where id = $1', [connection.id]);
  expect(row).toEqual({ status: 'DISCONNECT_ADMIN' });
  expect(await balanceOf(testApp, users[0]!)).toBe(5_000_000n);
  expect(await block(admin, ids)).toEqual(ids.map((userId) => ({ userId, outcome: 'UNCHANGED', refusal: null })));
  for (const user of users) expect(await blockings(user)).toHaveLength(1);
});

test('a refusal of one stops no other: a missing account, and staff with more permissions', async () => {
  await testApp.database.query(`insert into roles (name, permissions) values ('GUARD', '{USERS_READ,USERS_EDIT}')`);
  const guard = await createUser(testApp, { roleName: 'GUARD' });
  const [support, user, missing] = [await createUser(testApp, { roleName: 'SUPPORT' }), await customer(), randomUUID()];
  expect(await block(guard, [missing, support.id, user.id])).toEqual([
    { userId: missing, outcome: 'REFUSED', refusal: 'NOT_FOUND' },
    { userId: support.id, outcome: 'REFUSED', refusal: 'PERMISSION_LACKING' },
    { userId: user.id, outcome: 'BLOCKED', refusal: null },
  ]);
  expect(await blockings(support)).toEqual([]);
});

test('requires USERS_EDIT, a reason, a bounded number of users, and others than the caller', async () => {
  const support = await createUser(testApp, { roleName: 'SUPPORT' });
  const user = await customer();
  await expect(block(support, [user.id])).rejects.toMatchObject({ status: 403, code: 'FORBIDDEN' });
  await expect(block(admin, [user.id], ' ')).rejects.toMatchObject({ code: 'VALIDATION' });
  await expect(block(admin, [])).rejects.toMatchObject({ code: 'VALIDATION' });
  await expect(
    block(
      admin,
      Array.from({ length: BULK_USERS_MAX + 1 }, () => randomUUID()),
    ),
  ).rejects.toMatchObject({ code: 'VALIDATION' });
  await expect(block(admin, [user.id, admin.id])).rejects.toMatchObject({ code: 'VALIDATION' });
  expect(await blockings(user)).toEqual([]);
});

test('an id in capitals is the same id, also for the rules about oneself and the last administrator', async () => {
  const own = admin.id.toUpperCase();
  await expect(block(admin, [own])).rejects.toMatchObject({ code: 'VALIDATION' });
  const change = { params: { id: own }, body: { status: 'BLOCKED', reason: 'by mistake' } } as const;
  await testApp.database.query(`update roles set permissions = '{USERS_READ}' where name = 'GUARD'`);
  await expect(admin.call(changeUserStatus, change)).rejects.toMatchObject({ code: 'LAST_ADMINISTRATOR' });
  await testApp.database.query(`update roles set permissions = '{USERS_READ,USERS_EDIT}' where name = 'GUARD'`);
  const { id } = await customer();
  expect(await block(admin, [id.toUpperCase(), id])).toEqual([{ userId: id, outcome: 'BLOCKED', refusal: null }]);
});

test('who is blocked while their request runs blocks nobody further', async () => {
  const guard = await createUser(testApp, { roleName: 'GUARD' });
  const user = await customer();
  // The check of the request has passed when the account is blocked: both wait for the lock of all roles.
  const results = await testApp.database.transaction(async (db) => {
    await db.query(`select from roles where name = 'ADMIN' for update`);
    const first = admin.call(changeUserStatus, {
      params: { id: guard.id },
      body: { status: 'BLOCKED', reason: 'stolen session' },
    });
    await untilWaiting(1);
    const second = block(guard, [user.id]);
    await untilWaiting(2);
    return { first, second };
  });
  await results.first;
  expect(await results.second).toEqual([{ userId: user.id, outcome: 'REFUSED', refusal: 'PERMISSION_LACKING' }]);
});

/** Resolves when this many transactions wait for a lock. */
async function untilWaiting(count: number): Promise<void> {
  for (;;) {
    const [row] = await testApp.database.query<{ count: number }>(
      `select count(*)::int as count from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    if (row!.count >= count) return;
  }
}
