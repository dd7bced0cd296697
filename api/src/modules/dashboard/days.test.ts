import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { checkInvariants } from '../../db/check-invariants.ts';
import { listSteps, listSums } from './dashboard.store.ts';

const HOUR_MS = 3_600_000;

let testApp: TestApp;
beforeAll(async () => {
  testApp = await startTestApp();
});
afterAll(() => testApp.stop());
beforeEach(async () => {
  await testApp.reset();
  await testApp.database.query(
    `insert into dashboard_sums (figure, hour, currency, amount, count)
     select figure, hour, '', abs(hashint8(extract(epoch from hour)::bigint)) % 1000, 1
       from generate_series(timestamptz '2026-03-01 00:00:00+00', '2026-04-15 23:00:00+00', '1 hour') as hour,
            unnest(array['REVENUE', 'SIGN_UP']::dashboard_figure[]) as figure
      where extract(hour from hour) <> 5`,
  );
});

async function totalsOfDays(timeZone: string, from: string, to: string): Promise<Map<number, bigint>> {
  const steps = await listSteps(testApp.ctx, { from, to, step: 'day', timeZone });
  const sums = await listSums(testApp.ctx, { from, to }, steps, ['REVENUE']);
  expect(new Set(sums.map(({ step }) => step)).size).toBe(sums.length);
  return new Map(sums.map(({ step, amount }) => [steps[step]!.getTime(), amount]));
}

test.each(['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Asia/Kathmandu', 'Australia/Lord_Howe'])(
  'each day in %s is the sum of its hours, also when the clocks change',
  async (timeZone) => {
    const from = '2026-03-03T08:17:00.000Z';
    const to = '2026-04-10T19:30:00.000Z';
    const steps = await listSteps(testApp.ctx, { from, to, step: 'day', timeZone });
    const hours = await testApp.database.query<{ hour: Date; amount: bigint }>(
      `select hour, amount from dashboard_sums where figure = 'REVENUE' and hour >= $1 and hour < $2`,
      [from, to],
    );
    const expected = new Map<number, bigint>();
    for (const { hour, amount } of hours) {
      const day = steps.findLast((step) => step.getTime() <= hour.getTime())!.getTime();
      expected.set(day, (expected.get(day) ?? 0n) + amount);
    }
    expect(await totalsOfDays(timeZone, from, to)).toEqual(expected);
  },
);

test('days follow changes of their hours, also by workers of versions without days', async () => {
  const from = '2026-03-01T00:00:00.000Z';
  const to = '2026-03-03T00:00:00.000Z';
  const before = await totalsOfDays('UTC', from, to);
  await testApp.database.query(
    "update dashboard_sums set amount = amount + 7, count = 3 where hour = '2026-03-01 23:00:00+00'",
  );
  await testApp.database.query(
    "insert into dashboard_sums (figure, hour, amount, count) values ('REVENUE', '2026-03-02 05:00:00+00', 11, 1)",
  );
  const start = Date.parse(from);
  expect(await totalsOfDays('UTC', from, to)).toEqual(
    new Map([
      [start, before.get(start)! + 7n],
      [start + 24 * HOUR_MS, before.get(start + 24 * HOUR_MS)! + 11n],
    ]),
  );
  expect(await checkInvariants(testApp.ctx)).toEqual([]);
});

test('the check of invariants finds a day that is not the sum of its hours, and an hour without a day', async () => {
  await testApp.database.query("update dashboard_days set amount = amount + 1 where start = '2026-04-01 00:00:00+00'");
  await testApp.database.query(
    "delete from dashboard_days where start = '2026-04-03 00:00:00+00' and figure = 'SIGN_UP'",
  );
  const violations = await checkInvariants(testApp.ctx);
  expect(violations).toHaveLength(3);
  expect(violations.filter((text) => text.includes('is the sum of its hours: '))).toHaveLength(2);
  expect(violations.filter((text) => text.includes('SIGN_UP of the hour 2026-04-03'))).toHaveLength(1);
});

test.each([
  ['2026-03-28T23:00:00.000Z', '2026-03-29T22:00:00.000Z', 23],
  ['2026-10-24T22:00:00.000Z', '2026-10-25T23:00:00.000Z', 25],
])('the day from %s to %s has %d different hours', async (from, to, count) => {
  const steps = await listSteps(testApp.ctx, { from, to, step: 'hour', timeZone: 'Europe/Berlin' });
  expect(steps).toHaveLength(count);
  expect(new Set(steps.map((step) => step.getTime())).size).toBe(count);
});
