import { connect, disconnect } from '@cellhop/contract/connections';
import { BYTES_PER_MEGABYTE } from '@cellhop/contract/limits';
import { type Dashboard, dashboardParts, getDashboard } from '@cellhop/contract/staff/dashboard';
import { createTicket } from '@cellhop/contract/tickets';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createProxy, createUser, type TestUser, topUp } from '../../../test/factories.ts';
import { createGatewayRun } from '../../../test/gateway-client.ts';
import { confirm, newInvoice, send } from '../../../test/sandbox-payments.ts';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import type { Ctx } from '../../ctx.ts';
import { registerNode } from '../gateway/gateway.service.ts';
import { recordTraffic } from '../usage/usage.service.ts';
import { updateSums } from './sums.service.ts';

const HOUR_MS = 3_600_000;
const PRICE = 0.8;

let testApp: TestApp;
let admin: TestUser;
beforeAll(async () => {
  testApp = await startTestApp();
});
afterAll(() => testApp.stop());
beforeEach(async () => {
  await testApp.reset();
  await registerNode(testApp.ctx);
  admin = await createUser(testApp, { roleName: 'ADMIN' });
});

async function read(staff: TestUser = admin, hours = 48): Promise<Dashboard> {
  const from = new Date(Date.now() - hours * HOUR_MS).toISOString();
  const to = new Date(Date.now() + HOUR_MS).toISOString();
  return (await staff.call(getDashboard, { query: { from, to, step: 'hour' } })).data;
}

/** Backdates everything that happened, as if the hours had passed. */
async function pass(hours: number): Promise<void> {
  const statements = [
    'alter table transfers disable trigger transfers_append_only',
    `update transfers set created_at = created_at - make_interval(hours => ${hours})`,
    'alter table transfers enable trigger transfers_append_only',
    `update users set created_at = created_at - make_interval(hours => ${hours})`,
    `update connections set created_at = created_at - make_interval(hours => ${hours}),
            synced_at = synced_at - make_interval(hours => ${hours}), ended_at = ended_at - make_interval(hours => ${hours})`,
    `update traffic_hours set hour = hour - make_interval(hours => ${hours})`,
    `update dashboard_sums set hour = hour - make_interval(hours => ${hours})`,
    `update dashboard_mark set hour = hour - make_interval(hours => ${hours})`,
  ];
  for (const statement of statements) await testApp.database.query(statement);
}

const sums = ({ revenue, topUps, traffic, signUps }: Dashboard) => ({ revenue, topUps, traffic, signUps });
const happened = (values: readonly number[] | undefined) => values?.filter((value) => value !== 0);

test('transfers count at once, and exactly once after the worker has added them', async () => {
  const user = await createUser(testApp, { balanceMicros: 10_000_000n });
  const invoice = await newInvoice(user, 'LTC', 25);
  await send(testApp, invoice);
  await confirm(testApp, 'LTC');
  const { data: connection } = await user.call(connect, { body: { id: await createProxy(testApp), price: PRICE } });
  const run = createGatewayRun(testApp);
  await run.authorize(connection);
  await run.report(connection.id, 30 * BYTES_PER_MEGABYTE, 30 * BYTES_PER_MEGABYTE);
  await run.report(connection.id, 52 * BYTES_PER_MEGABYTE, 0, { uploadedBytes: BYTES_PER_MEGABYTE });
  const expected = {
    revenue: { total: 0.416 },
    topUps: {
      total: 35,
      byCurrency: [
        { currency: 'LTC', amount: 25, count: 1 },
        { currency: null, amount: 10, count: 1 },
      ],
    },
  };
  expect(await read()).toMatchObject(expected);
  await pass(2);
  expect(await read()).toMatchObject(expected);
  await Promise.all([1, 2, 3, 4].map(() => updateSums(testApp.ctx)));
  await updateSums(testApp.ctx);
  const stored = await read();
  expect(stored).toMatchObject({ ...expected, signUps: { total: 2 } });
  expect(stored.traffic?.downloaded.total).toBe(51 * 1024);
  expect(stored.traffic?.uploaded.total).toBe(1024);
  expect(happened(stored.revenue?.values)).toEqual([0.416]);

  await topUp(testApp, user.accountId, 1_000_000n);
  expect((await read()).topUps?.total).toBe(36);
  await updateSums(testApp.ctx);
  expect((await read()).topUps?.total).toBe(36);
});

test('traffic is assigned to the hours in which counters grew, also at the end of a connection', async () => {
  const user = await createUser(testApp, { balanceMicros: 10_000_000n });
  const { data: connection } = await user.call(connect, { body: { id: await createProxy(testApp), price: PRICE } });
  const run = createGatewayRun(testApp);
  await run.authorize(connection);
  await run.report(connection.id, 10 * BYTES_PER_MEGABYTE);
  await updateSums(testApp.ctx);
  await pass(3);
  await updateSums(testApp.ctx);
  await run.report(connection.id, 30 * BYTES_PER_MEGABYTE);
  await recordTraffic(testApp.ctx);
  await updateSums(testApp.ctx);
  await run.end(connection.id, 35 * BYTES_PER_MEGABYTE);
  await user.call(disconnect, { params: { id: connection.id } });
  await updateSums(testApp.ctx);
  const { traffic } = await read();
  expect(happened(traffic?.downloaded.values)).toEqual([10 * 1024, 25 * 1024]);
  await pass(3);
  await updateSums(testApp.ctx);
  expect(happened((await read()).traffic?.downloaded.values)).toEqual([10 * 1024, 25 * 1024]);
});

test('a worker that crashes between two steps misses nothing and counts nothing twice', async () => {
  await createUser(testApp, { balanceMicros: 3_000_000n });
  await pass(2);
  const before = sums(await read());
  for (const dying of ['readable_traffic_hours as counted', 'update dashboard_mark set hour', 'proxy_states']) {
    const ctx: Ctx = {
      ...testApp.ctx,
      tx: (work, options) =>
        testApp.ctx.tx(
          (inner) =>
            work({
              ...inner,
              db: {
                query: async (text, values, queryOptions) => {
                  if (text.includes(dying)) throw new Error('killed');
                  return inner.db.query(text, values, queryOptions);
                },
              },
            }),
          options,
        ),
    };
    await expect(updateSums(ctx)).rejects.toThrow('killed');
    expect((await read()).topUps).toEqual(before.topUps);
  }
  await updateSums(testApp.ctx);
  expect(await read()).toMatchObject({ topUps: { total: 3 }, signUps: { total: 2 } });
});

test('a month without a worker is caught up exactly', async () => {
  await createUser(testApp, { balanceMicros: 3_000_000n });
  await pass(24 * 30);
  await createUser(testApp, { balanceMicros: 4_000_000n });
  await updateSums(testApp.ctx);
  const dashboard = await read(admin, 24 * 30 + 5);
  expect(happened(dashboard.signUps?.values)).toEqual([2, 1]);
  expect(happened(dashboard.topUps?.values)).toEqual([3, 4]);
});

const at = (hoursAgo: number) => new Date(Date.now() - hoursAgo * HOUR_MS).toISOString();
const readRange = async (from: string, to: string) =>
  (await admin.call(getDashboard, { query: { from, to, step: 'hour' } })).data;

test('sums are compared with the range before, as long as what has passed of this one', async () => {
  await createUser(testApp, { balanceMicros: 5_000_000n });
  await pass(30);
  await createUser(testApp, { balanceMicros: 3_000_000n });
  await pass(20);
  await createUser(testApp, { balanceMicros: 4_000_000n });
  await updateSums(testApp.ctx);
  expect((await readRange(at(24), at(-1))).topUps).toMatchObject({ total: 7, previousTotal: 0 });
  expect((await readRange(at(10), at(-1))).topUps).toMatchObject({ total: 4, previousTotal: 3 });
  expect((await readRange(at(10), at(-1))).signUps).toMatchObject({ total: 1, previousTotal: 1 });
  // Half of a range has passed: the other half of the one before does not count.
  expect((await readRange(at(30), at(-30))).topUps).toMatchObject({ total: 7, previousTotal: 0 });
  expect((await readRange(at(35), at(-5))).topUps).toMatchObject({ total: 7, previousTotal: 5 });
});

test('proxies are counted by state and country', async () => {
  await createProxy(testApp, { countryCode: 'DE' });
  await createProxy(testApp, { countryCode: 'DE', isHealthy: false });
  const id = await createProxy(testApp, { countryCode: 'FR' });
  const user = await createUser(testApp, { balanceMicros: 1_000_000n });
  await user.call(connect, { body: { id, price: PRICE } });
  await updateSums(testApp.ctx);
  const { proxies, connections } = await read();
  expect(proxies).toEqual({
    free: 1,
    sold: 1,
    unhealthy: 1,
    byCountry: [
      { countryCode: 'DE', free: 1, sold: 0, unhealthy: 1 },
      { countryCode: 'FR', free: 0, sold: 1, unhealthy: 0 },
    ],
  });
  expect(connections).toEqual({ live: 1 });
  await testApp.database.query("update proxies set country_code = 'FR'");
  await updateSums(testApp.ctx);
  expect((await read()).proxies?.byCountry).toEqual([{ countryCode: 'FR', free: 1, sold: 1, unhealthy: 1 }]);
});

test('the median of first replies ignores tickets of staff and those without a reply', async () => {
  const user = await createUser(testApp);
  expect((await read()).tickets).toEqual({ open: 0, firstReplySeconds: null });
  for (const minutes of [1, 5, 60]) {
    const { data } = await user.call(createTicket, { body: { name: 'No traffic', description: 'Nothing arrives.' } });
    for (const later of [minutes, minutes * 10])
      await testApp.database.query(
        `insert into ticket_messages (ticket_id, author_id, is_user, content, created_at)
         select id, $2, false, 'answer', created_at + make_interval(mins => $3::int) from tickets where id = $1`,
        [data.id, admin.id, later],
      );
  }
  await user.call(createTicket, { body: { name: 'No answer', description: 'Nobody has answered yet.' } });
  await testApp.database.query(
    "insert into tickets (user_id, author_id, name, description) values ($1, $2, 'a', 'b')",
    [user.id, admin.id],
  );
  expect((await read()).tickets).toEqual({ open: 5, firstReplySeconds: 300 });
});

test('gateways are online while they report, and the money check is shown', async () => {
  expect(await read()).toMatchObject({
    nodes: { total: 1, online: 0 },
    moneyCheck: { status: 'NEVER_RUN', checkedAt: null, violationCount: 0 },
  });
  await testApp.database.query(
    'insert into gateway_runs (id, node_id) select gen_random_uuid(), id from gateway_nodes',
  );
  expect((await read()).nodes).toEqual({ total: 1, online: 1 });
  await testApp.database.query("update gateway_runs set seen_at = now() - interval '1 minute'");
  expect((await read()).nodes).toEqual({ total: 1, online: 0 });
});

test('days begin in the time zone of the reader', async () => {
  const query = { from: '2026-03-27T23:00:00Z', to: '2026-03-30T22:00:00Z', timeZone: 'Europe/Berlin' };
  const { data } = await admin.call(getDashboard, { query });
  expect(data.steps).toEqual(['2026-03-27T23:00:00.000Z', '2026-03-28T23:00:00.000Z', '2026-03-29T22:00:00.000Z']);
  expect(data.signUps).toEqual({ total: 0, values: [0, 0, 0], previousTotal: 0 });
});

describe('access', () => {
  test.each([
    ['SUPPORT', ['connections', 'signUps', 'tickets', 'traffic']],
    ['FINANCE', ['moneyCheck', 'revenue', 'signUps', 'topUps']],
    ['ADMIN', Object.keys(dashboardParts).toSorted()],
  ])('%s reads the parts that the role may read', async (roleName, parts) => {
    const { steps, ...all } = await read(await createUser(testApp, { roleName }));
    expect(steps.length).toBeGreaterThan(0);
    const opened = Object.entries(all).filter(([, part]) => part !== null);
    expect(opened.map(([name]) => name).toSorted()).toEqual(parts);
  });

  test('a role with one permission is staff; customers are not', async () => {
    await testApp.database.query("insert into roles (name, permissions) values ('READER', '{FAQ_READ}')");
    const { steps, ...all } = await read(await createUser(testApp, { roleName: 'READER' }));
    expect(steps.length).toBeGreaterThan(0);
    expect(new Set(Object.values(all))).toEqual(new Set([null]));
    await expect(read(await createUser(testApp))).rejects.toMatchObject({ code: 'FORBIDDEN' });
  });
});

describe('where staff need a second factor', () => {
  let strict: TestApp;
  beforeAll(async () => {
    strict = await startTestApp({ requiresStaffSecondFactor: true });
  });
  afterAll(() => strict.stop());

  test('staff without one see nothing', async () => {
    await expect(read(await createUser(strict, { roleName: 'ADMIN' }))).rejects.toMatchObject({
      code: 'SECOND_FACTOR_REQUIRED',
    });
  });
});
