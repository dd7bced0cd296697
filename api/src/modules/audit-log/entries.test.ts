import { listAuditLog } from '@cellhop/contract/staff/audit-log';
import type { ClientInput } from '@cellhop/contract/endpoint';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createUser, type TestUser } from '../../../test/factories.ts';
import { adjust, REASON } from '../../../test/staff-requests.ts';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';

type Query = ClientInput<typeof listAuditLog>['query'];

let testApp: TestApp;
let admin: TestUser;
let finance: TestUser;
let user: TestUser;
let requestId: string;
beforeAll(async () => {
  testApp = await startTestApp();
  admin = await createUser(testApp, { roleName: 'ADMIN' });
  finance = await createUser(testApp, { roleName: 'FINANCE' });
  user = await createUser(testApp);
  requestId = (await adjust(finance, user, 5)).id;
  await adjust(admin, user, 1);
});
afterAll(() => testApp.stop());

const list = async (query: Query) => (await admin.call(listAuditLog, { query })).data;

describe('the list of the audit log', () => {
  test('shows who, when, from where, what, before, after and why', async () => {
    const [entry] = await list({ action: ['BALANCE_ADJUSTED'], actor: finance.id });
    expect(entry).toMatchObject({
      action: 'BALANCE_ADJUSTED',
      actor: { id: finance.id, email: finance.email },
      user: { id: user.id, email: user.email },
      subject: { type: 'REQUEST', id: requestId },
      ip: '127.0.0.1',
      device: 'Unknown device',
      reason: REASON,
      before: { balance: 0 },
      after: { balance: 5 },
      details: { kind: 'ADJUSTMENT', amount: 5 },
    });
    expect(Object.keys(entry!.details)).not.toContain('before');
  });

  test.each<[string, () => Query, number]>([
    ['of an action', () => ({ action: ['BALANCE_ADJUSTED'] }), 2],
    ['of several actions', () => ({ action: ['BALANCE_ADJUSTED', 'SIGN_IN'] }), 5],
    ['by the email of a member of staff', () => ({ actor: ` ${finance.email.toUpperCase()}` }), 2],
    ['by an unknown email', () => ({ actor: 'nobody@example.com' }), 0],
    ['about a user, older entries included', () => ({ userId: user.id }), 3],
    ['about a thing', () => ({ subjectType: 'REQUEST', subjectId: requestId }), 1],
    ['about a kind of things', () => ({ subjectType: 'REQUEST' }), 2],
    ['from a day on', () => ({ from: new Date(Date.now() - 60_000).toISOString() }), 5],
    ['before a day', () => ({ to: new Date(Date.now() - 60_000).toISOString() }), 0],
    ['in a range', () => ({ from: '1990-01-01T00:00:00Z', to: '2100-01-01T00:00:00Z' }), 5],
    ['after a day in the future', () => ({ from: '2190-01-01T00:00:00Z' }), 0],
    ['of everything at once', () => ({ userId: user.id, actor: admin.id, action: ['BALANCE_ADJUSTED'] }), 1],
  ])('finds entries %s', async (_what, query, count) => {
    expect(await list(query())).toHaveLength(count);
  });

  test('is newest first, in pages', async () => {
    const all = await list({});
    expect(all.map(({ id }) => Number(id))).toEqual(all.map(({ id }) => Number(id)).toSorted((a, b) => b - a));
    const { data, totalPages } = await admin.call(listAuditLog, { query: { size: 2, page: 2 } });
    expect(data).toEqual(all.slice(2, 4));
    expect(totalPages).toBe(3);
  });

  test('filtering by user finds the same entries as a scan of the whole log', async () => {
    const [one, other] = [await createUser(testApp), await createUser(testApp)];
    await testApp.database.query(
      `insert into audit_log (action, actor_id, user_id, subject_type, subject_id)
       select (array['USER_BLOCKED', 'SIGN_IN', 'TICKET_ANSWERED'])[1 + number % 3], (array[$1, $2, null]::uuid[])[1 + number / 3 % 3],
              case when number % 4 = 0 then null when number % 5 = 0 then $4::uuid else $3::uuid end, 'USER', $3
         from generate_series(1, 180) as number`,
      [admin.id, finance.id, one.id, other.id],
    );
    for (const action of [undefined, 'USER_BLOCKED', 'SIGN_OUT'] as const)
      for (const actor of [undefined, admin.id, finance.id, other.id])
        for (const userId of [one.id, other.id]) {
          const expected = await testApp.database.query<{ id: string }>(
            `select id::text from (select * from audit_log offset 0) as every
              where user_id = $1 and ($2::uuid is null or actor_id = $2) and ($3::text is null or action = $3)
              order by every.id desc`,
            [userId, actor ?? null, action ?? null],
          );
          const query = { userId, size: 100, ...(actor && { actor }), ...(action && { action: [action] }) };
          const { data, totalPages } = await admin.call(listAuditLog, { query });
          expect(data.map(({ id }) => id)).toEqual(expected.slice(0, 100).map(({ id }) => id));
          expect(totalPages).toBe(Math.ceil(expected.length / 100));
        }
  });

  test('finds a range of times in an old part of a long log', async () => {
    await testApp.database.query(
      `insert into audit_log (action, created_at)
       select 'OLDER', now() - interval '300 days' + number * interval '1 minute' from generate_series(1, 5000) as number
        order by number`,
    );
    // As if they had been written then.
    const from = new Date(Date.now() - 300 * 86_400_000 + 600_000).toISOString();
    const to = new Date(Date.now() - 300 * 86_400_000 + 1_200_000).toISOString();
    const found = await admin.call(listAuditLog, { query: { from, to, action: ['OLDER'] } });
    expect(found.data).toHaveLength(10);
  });

  test.each<Query>([{ subjectId: randomUUID() }, { action: ['drop table'] }, { userId: '1' }, { page: 0 }])(
    'refuses %j',
    async (query) => {
      await expect(admin.call(listAuditLog, { query })).rejects.toMatchObject({ status: 400, code: 'VALIDATION' });
    },
  );

  test('is forbidden without the permission', async () => {
    await expect(finance.call(listAuditLog, { query: {} })).rejects.toMatchObject({ status: 403 });
  });
});
