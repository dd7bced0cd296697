/** @module-tag long */
import { getAttention, getDashboard } from '@cellhop/contract/staff/dashboard';
import { afterEach, expect, test } from 'vitest';
import { createUser } from '../../test/factories.ts';
import { startTestApp, type TestApp } from '../../test/test-app.ts';
import { checkInvariants } from '../db/check-invariants.ts';
import { updateSums } from '../modules/dashboard/sums.service.ts';
import { registerNode } from '../modules/gateway/gateway.service.ts';
import { seedHistory } from './demo-history.ts';
import { seedProxies } from './demo-proxies.ts';

const CUSTOMER = 'user@example.com';

let testApp: TestApp;
afterEach(() => testApp.stop());

test('the large demo has months of consistent history, and removes its clock', async () => {
  testApp = await startTestApp();
  await registerNode(testApp.ctx);
  await seedProxies(testApp.ctx);
  const admin = await createUser(testApp, { roleName: 'ADMIN' });
  const finance = await createUser(testApp, { roleName: 'FINANCE' });
  const before = await defaults();
  await testApp.ctx.tx((ctx) =>
    seedHistory(ctx, {
      passwordHash: 'none',
      adminId: admin.id,
      supportId: admin.id,
      financeId: finance.id,
      customerEmail: CUSTOMER,
      users: 12,
    }),
  );
  expect(await checkInvariants(testApp.ctx)).toEqual([]);
  expect(await defaults()).toEqual(before);
  expect(await testApp.database.query("select from pg_namespace where nspname = 'demo_clock'")).toEqual([]);
  const [late] = await testApp.database.query<{ count: number; weeks: number }>(
    `select count(*) filter (where created_at > now() - interval '4 minutes')::int as count,
            count(distinct date_trunc('week', created_at))::int as weeks from transfers`,
  );
  expect(late!.count).toBe(0);
  expect(late!.weeks).toBeGreaterThan(6);

  // Nobody gets mails about it now.
  expect(await testApp.database.query("select from graphile_worker.jobs where task_identifier like 'mail.%'")).toEqual(
    [],
  );
  const unsent = await testApp.database.query<object>(
    `select (select count(*)::int from unmailed_ends) as ends,
            (select count(*)::int from unqueued_mails) as unqueued,
            (select count(*)::int from sent_mails where sent_at is null) as mails`,
  );
  expect(unsent).toEqual([{ ends: 0, unqueued: 0, mails: 0 }]);
  const [customer] = await testApp.database.query<Record<string, number>>(
    `select (select count(*)::int from connections where user_id = users.id) as connections,
            (select count(*)::int from connections where user_id = users.id and status = 'WORK') as open,
            (select count(*)::int from invoices where user_id = users.id) as invoices,
            (select count(*)::int from tickets where user_id = users.id) as tickets
       from users where email = $1`,
    [CUSTOMER],
  );
  expect(customer!['connections']).toBeGreaterThan(10);
  expect(customer!['open']).toBeGreaterThan(0);
  expect(customer).toMatchObject({ invoices: 7, tickets: 2 });

  // What staff find to do.
  const { data: attention } = await admin.call(getAttention, {});
  expect(attention).toMatchObject({ approvals: { waiting: 1 }, heldPayments: 1 });
  expect(attention.tickets!.waiting).toBeGreaterThan(0);

  await updateSums(testApp.ctx);
  const query = { from: new Date(Date.now() - 91 * 86_400_000).toISOString(), to: new Date().toISOString() };
  const { data } = await admin.call(getDashboard, { query });
  expect(data.revenue!.total).toBeGreaterThan(5);
  expect(data.topUps!.total).toBeGreaterThan(100);
  expect(data.topUps!.byCurrency.length).toBeGreaterThan(5);
  expect(data.traffic!.downloaded.total).toBeGreaterThan(data.traffic!.uploaded.total);
  const [used] = await testApp.database.query<{ bytes: string }>('select sum(used_bytes) as bytes from connections');
  expect(data.traffic!.downloaded.total + data.traffic!.uploaded.total).toBeCloseTo(Number(used!.bytes) / 1024, 3);
});

const defaults = () =>
  testApp.database.query(
    `select adrelid::regclass::text as table, attname, pg_get_expr(adbin, adrelid) as expression
       from pg_attrdef join pg_attribute on attrelid = adrelid and attnum = adnum order by 1, 2`,
  );
