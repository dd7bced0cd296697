import { connect, disconnect } from '@cellhop/contract/connections';
import { createAdjustment } from '@cellhop/contract/staff/transactions';
import { getTimeline, type TimelineEntry } from '@cellhop/contract/staff/timeline';
import type { TimelineKind } from '@cellhop/contract/staff/lists.values';
import { createTicket } from '@cellhop/contract/tickets';
import { changeUserStatus } from '@cellhop/contract/staff/users';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createProxy, createUser, type TestUser } from '../../../test/factories.ts';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';

let testApp: TestApp;
let admin: TestUser;
beforeAll(async () => {
  testApp = await startTestApp();
  admin = await createUser(testApp, { roleName: 'ADMIN' });
});
afterAll(() => testApp.stop());

async function busyUser(): Promise<TestUser> {
  const user = await createUser(testApp, { balanceMicros: 5_000_000n });
  const { data } = await user.call(connect, { body: { id: await createProxy(testApp), price: 0.8 } });
  await user.call(disconnect, { params: { id: data.id } });
  await user.call(createTicket, { body: { name: 'Slow proxy', description: 'It is slow since noon.' } });
  const block = (status: 'ACTIVE' | 'BLOCKED') =>
    admin.call(changeUserStatus, { params: { id: user.id }, body: { status, reason: 'a chargeback' } });
  await block('BLOCKED');
  await block('ACTIVE');
  return user;
}

const read = (by: TestUser, user: TestUser, query: { kind?: TimelineKind[]; after?: string; size?: number } = {}) =>
  by.call(getTimeline, { params: { id: user.id }, query });

test('shows what happened, newest first, each entry with its subject', async () => {
  const user = await busyUser();
  const { data, next, kinds } = await read(admin, user);
  expect(next).toBeNull();
  expect(kinds).toHaveLength(7);
  expect(data.map(({ kind }) => kind)).toEqual(['STAFF', 'STAFF', 'TICKET', 'END', 'PURCHASE', 'ACCOUNT', 'MONEY']);
  expect(data).toMatchObject([
    { action: 'USER_UNBLOCKED', actor: { id: admin.id }, reason: 'a chargeback' },
    { action: 'USER_BLOCKED' },
    { name: 'Slow proxy' },
    { reason: 'USER', paidFor: 0, trafficUsed: 0 },
    { status: 'DISCONNECT_USER' },
    { action: 'SIGN_IN', ip: '127.0.0.1' },
    { transaction: 'TOP_UP', amount: 5 },
  ]);
});

test('shows corrections by staff', async () => {
  const user = await createUser(testApp);
  for (const amount of [3, -1])
    await admin.call(createAdjustment, { body: { userId: user.id, amount, reason: 'a failed top-up' } });
  const { data } = await read(admin, user, { kind: ['MONEY'] });
  expect(data).toMatchObject([
    { transaction: 'ADJUSTMENT', amount: -1 },
    { transaction: 'ADJUSTMENT', amount: 3 },
  ]);
});

test('pages neither skip nor repeat an entry, even if all have the same time', async () => {
  const user = await busyUser();
  // All sources at one moment.
  const moment = '2026-01-02T03:04:05.678901Z';
  for (const table of ['tickets', 'connections', 'notifications'])
    await testApp.database.query(`update ${table} set created_at = $2 where user_id = $1`, [user.id, moment]);
  await testApp.database.query('update connections set ended_at = $2 where user_id = $1', [user.id, moment]);
  const { data: all } = await read(admin, user);
  for (const size of [1, 2, 3]) {
    const paged: TimelineEntry[] = [];
    for (let after: string | undefined; ;) {
      const page = await read(admin, user, { size, ...(after === undefined ? {} : { after }) });
      paged.push(...page.data);
      if (page.next === null) break;
      after = page.next;
    }
    expect(paged).toEqual(all);
  }
});

test('shows only the kinds that the caller may read, and of those the chosen ones', async () => {
  const user = await busyUser();
  const support = await createUser(testApp, { roleName: 'SUPPORT' });
  const { kinds, data } = await read(support, user);
  expect(kinds).toEqual(['ACCOUNT', 'PURCHASE', 'END', 'TICKET', 'NOTIFICATION']);
  expect(data.filter(({ kind }) => kind === 'STAFF' || kind === 'MONEY')).toEqual([]);
  const chosen = await read(support, user, { kind: ['STAFF', 'TICKET'] });
  expect(chosen.data.map(({ kind }) => kind)).toEqual(['TICKET']);
  const finance = await createUser(testApp, { roleName: 'FINANCE' });
  expect((await read(finance, user)).kinds).toEqual(['ACCOUNT', 'MONEY']);
  const customer = await createUser(testApp);
  await expect(read(customer, user)).rejects.toMatchObject({ code: 'FORBIDDEN' });
});

test('of an unknown user is not found, and a made-up position is refused', async () => {
  const user = await createUser(testApp);
  await expect(read(admin, { ...user, id: randomUUID() })).rejects.toMatchObject({ status: 404 });
  await expect(read(admin, user, { after: 'x' })).rejects.toMatchObject({ status: 400 });
  expect((await read(admin, user, { after: '9999999999999999_6_zzz' })).data.length).toBeGreaterThan(0);
});
