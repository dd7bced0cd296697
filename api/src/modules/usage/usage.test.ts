import { connect, disconnect, listConnections, type Connection } from '@cellhop/contract/connections';
import { BYTES_PER_MEGABYTE } from '@cellhop/contract/limits';
import { getUsage, type UsageQuery } from '@cellhop/contract/usage';
import { usageSorts } from '@cellhop/contract/usage.values';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createProxy, createUser, type TestUser } from '../../../test/factories.ts';
import { createGatewayRun } from '../../../test/gateway-client.ts';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { registerNode } from '../gateway/gateway.service.ts';
import { recordTraffic } from './usage.service.ts';

const HOUR_MS = 3_600_000;
const PRICE = 0.8;
const MEGABYTE_PRICE = 0.008;

let testApp: TestApp;
beforeAll(async () => {
  testApp = await startTestApp();
  await registerNode(testApp.ctx);
});
afterAll(() => testApp.stop());

async function buy(user: TestUser): Promise<Connection> {
  const id = await createProxy(testApp, { priceMicros: 800_000n });
  return (await user.call(connect, { body: { id, price: PRICE } })).data;
}

/** Backdates everything of one connection. */
async function age(connection: Connection, hours: number): Promise<void> {
  const shift = [connection.id, hours];
  await testApp.database.query(
    `update connections set created_at = created_at - make_interval(hours => $2::int),
            synced_at = synced_at - make_interval(hours => $2::int) where id = $1`,
    shift,
  );
  await testApp.database.query('alter table transfers disable trigger transfers_append_only', []);
  await testApp.database.query(
    `update transfers set created_at = created_at - make_interval(hours => $2::int)
      where credit_account_id = (select escrow_account_id from connections where id = $1)`,
    shift,
  );
  await testApp.database.query('alter table transfers enable trigger transfers_append_only', []);
  await testApp.database.query(
    'update traffic_hours set hour = hour - make_interval(hours => $2::int) where connection_id = $1',
    shift,
  );
}

async function readUsage(user: TestUser, query: Partial<UsageQuery> & { hours?: number } = {}) {
  const { hours = 24, ...rest } = query;
  const from = new Date(Date.now() - hours * HOUR_MS).toISOString();
  const to = new Date(Date.now() + HOUR_MS).toISOString();
  return (await user.call(getUsage, { query: { from, to, step: 'hour', ...rest } })).data;
}

const happened = <T extends { trafficUsed: number; spent: number }>(points: T[]) =>
  points.filter(({ trafficUsed, spent }) => trafficUsed !== 0 || spent !== 0);

describe('usage', () => {
  test('traffic and costs are assigned to their hour, and their sums are exact', async () => {
    const user = await createUser(testApp, { balanceMicros: 10_000_000n });
    const connection = await buy(user);
    const run = createGatewayRun(testApp);
    await run.authorize(connection);
    await run.report(connection.id, 30 * BYTES_PER_MEGABYTE, 30 * BYTES_PER_MEGABYTE);
    await recordTraffic(testApp.ctx);
    await age(connection, 3);
    await run.report(connection.id, 52 * BYTES_PER_MEGABYTE);

    const usage = await readUsage(user);
    const [earlier, now] = happened(usage.points);
    expect(earlier).toMatchObject({ trafficUsed: 30 * 1024, spent: PRICE / 2 });
    expect(now).toMatchObject({ trafficUsed: 22 * 1024, spent: 2 * MEGABYTE_PRICE });
    expect(Date.parse(now!.at) - Date.parse(earlier!.at)).toBe(3 * HOUR_MS);
    expect(usage.total).toMatchObject({ trafficUsed: 52 * 1024, spent: 0.416 });
    expect(usage.connections).toMatchObject([{ id: connection.id, ...usage.total }]);

    const [row] = (await user.call(listConnections, { query: {} })).data;
    expect(row).toMatchObject({ trafficUsed: usage.total.trafficUsed, paidFor: usage.total.spent });
  });

  test('traffic that the worker has not saved yet counts, and saving it changes nothing', async () => {
    const user = await createUser(testApp, { balanceMicros: 10_000_000n });
    const connection = await buy(user);
    const run = createGatewayRun(testApp);
    await run.authorize(connection);
    await run.report(connection.id, 5_000_000);
    const before = await readUsage(user);
    expect(before.total.trafficUsed).toBe(5_000_000 / 1024);
    await recordTraffic(testApp.ctx);
    await recordTraffic(testApp.ctx);
    expect(await readUsage(user)).toEqual(before);
  });

  test('refunds reduce the costs', async () => {
    const user = await createUser(testApp, { balanceMicros: 10_000_000n });
    const connection = await buy(user);
    const run = createGatewayRun(testApp);
    await run.authorize(connection);
    await run.end(connection.id, 3 * BYTES_PER_MEGABYTE);
    await user.call(disconnect, { params: { id: connection.id } });
    const usage = await readUsage(user);
    expect(usage.total).toMatchObject({ trafficUsed: 3 * 1024, spent: 3 * MEGABYTE_PRICE });
  });

  test("each hour and each day of the range has a point, in the reader's time zone", async () => {
    const user = await createUser(testApp);
    const day = { from: '2026-03-28T23:00:00.000Z', to: '2026-03-30T22:00:00.000Z', timeZone: 'Europe/Berlin' };
    const days = (await user.call(getUsage, { query: { ...day, step: 'day' } })).data.points;
    // The day on which daylight saving time starts has 23 hours.
    expect(days.map(({ at }) => at)).toEqual(['2026-03-28T23:00:00.000Z', '2026-03-29T22:00:00.000Z']);
    const hours = (await user.call(getUsage, { query: { ...day, step: 'hour' } })).data.points;
    expect(hours).toHaveLength(47);
    const inIndia = { from: '2026-05-01T00:00:00.000Z', to: '2026-05-01T12:00:00.000Z', timeZone: 'Asia/Kolkata' };
    const [first] = (await user.call(getUsage, { query: { ...inIndia, step: 'day' } })).data.points;
    expect(first!.at).toBe('2026-04-30T18:30:00.000Z');
  });

  test.each([
    ['Europe/Berlin', '2026-10-24T22:00:00.000Z', '2026-10-25T23:00:00.000Z', 25],
    ['Europe/Berlin', '2026-03-28T23:00:00.000Z', '2026-03-29T22:00:00.000Z', 23],
    ['Asia/Kolkata', '2026-05-01T18:30:00.000Z', '2026-05-02T18:30:00.000Z', 24],
    // Clocks change by half an hour: the hours in which they do so have one half more or less.
    ['Australia/Lord_Howe', '2026-04-04T13:00:00.000Z', '2026-04-05T13:30:00.000Z', 25],
    ['Australia/Lord_Howe', '2026-10-03T13:30:00.000Z', '2026-10-04T13:00:00.000Z', 24],
  ])('a day in %s from %s to %s has %d hours, each once and with its charges', async (timeZone, from, to, count) => {
    const user = await createUser(testApp, { balanceMicros: 10_000_000n });
    const { id } = await buy(user);
    await testApp.database.query(
      `update connections set created_at = $2::timestamptz - interval '1 day' where id = $1`,
      [id, from],
    );
    const charged = async (at: number) => {
      await testApp.database.query('alter table transfers disable trigger transfers_append_only', []);
      await testApp.database.query(
        `update transfers set created_at = $2
          where credit_account_id = (select escrow_account_id from connections where id = $1)`,
        [id, new Date(at).toISOString()],
      );
      await testApp.database.query('alter table transfers enable trigger transfers_append_only', []);
      return (await user.call(getUsage, { query: { from, to, timeZone, step: 'hour' } })).data;
    };
    const { points } = await charged(Date.parse(from));
    expect(new Set(points.map(({ at }) => at)).size).toBe(count);
    expect(points).toHaveLength(count);
    for (let at = Date.parse(from); at < Date.parse(to); at += 2.5 * HOUR_MS) {
      const { points: now, total } = await charged(at);
      const paid = now.find(({ spent }) => spent > 0);
      expect(total.spent).toBeGreaterThan(0);
      expect(Date.parse(paid!.at)).toBeLessThanOrEqual(at);
      expect(Date.parse(paid!.at)).toBeGreaterThan(at - 1.5 * HOUR_MS);
    }
  });

  test('can be limited to one connection', async () => {
    const user = await createUser(testApp, { balanceMicros: 10_000_000n });
    const [one] = [await buy(user), await buy(user)];
    const all = await readUsage(user);
    expect(all.total.spent).toBe(PRICE);
    expect(all.connections).toHaveLength(2);
    const alone = await readUsage(user, { connectionId: one.id });
    expect(alone.total.spent).toBe(PRICE / 2);
    expect(alone.connections.map(({ id }) => id)).toEqual([one.id]);
  });

  test('lists connections in the requested order, by default the most expensive first', async () => {
    const user = await createUser(testApp, { balanceMicros: 10_000_000n });
    const [older, newer] = [await buy(user), await buy(user)];
    await age(older, 2);
    const run = createGatewayRun(testApp);
    await run.authorize(newer);
    await run.report(newer.id, 30 * BYTES_PER_MEGABYTE, 30 * BYTES_PER_MEGABYTE);
    await run.report(newer.id, 52 * BYTES_PER_MEGABYTE);
    const orders = {
      '-spent': [newer, older],
      spent: [older, newer],
      '-trafficUsed': [newer, older],
      trafficUsed: [older, newer],
      '-createdAt': [newer, older],
      createdAt: [older, newer],
    } as const;
    for (const sort of usageSorts) {
      const { connections } = await readUsage(user, { sort });
      expect({ sort, ids: connections.map(({ id }) => id) }).toEqual({ sort, ids: orders[sort].map(({ id }) => id) });
    }
    expect((await readUsage(user)).connections[0]!.id).toBe(newer.id);
  });

  test('is only visible to the user', async () => {
    const user = await createUser(testApp, { balanceMicros: 10_000_000n });
    const connection = await buy(user);
    const stranger = await createUser(testApp);
    for (const query of [{}, { connectionId: connection.id }]) {
      const { total, connections } = await readUsage(stranger, query);
      expect(total).toEqual({ trafficUsed: 0, uploaded: 0, spent: 0 });
      expect(connections).toEqual([]);
    }
  });

  test('refuses invalid ranges and time zones', async () => {
    const user = await createUser(testApp);
    const from = '2026-01-01T00:00:00.000Z';
    const bad = [
      { from, to: from },
      { from, to: '2025-12-31T00:00:00.000Z' },
      { from, to: '2026-03-01T00:00:00.000Z', step: 'hour' as const },
      { from, to: '2027-02-01T00:00:00.000Z' },
      { from, to: '2026-01-02T00:00:00.000Z', timeZone: 'Mars/Olympus' },
      { from, to: '2026-01-02T00:00:00.000Z', timeZone: '+02:00' },
      { from: 'yesterday', to: from },
    ];
    for (const query of bad)
      await expect(user.call(getUsage, { query })).rejects.toMatchObject({ status: 400, code: 'VALIDATION' });
  });
});
