/** Tests the sliding idle window against an exact model of the rule: no idle time-out may pass with less traffic. */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';

const THRESHOLD = 1024;
const SLOT_SECONDS = 30;
const IDLE_SECONDS = 1800;

interface Report {
  second: number;
  bytes: number;
}

let testApp: TestApp;
beforeAll(async () => {
  testApp = await startTestApp();
});
afterAll(() => testApp.stop());

/** The first mark after each report, in seconds since the purchase, and the number of marks. */
async function slide(reports: readonly Report[]): Promise<{ second: number; marks: number }[]> {
  let total = 0;
  const totals = reports.map(({ bytes }) => (total += bytes));
  return testApp.database.query(
    `with recursive slid (number, marks) as (
       select 0, array[(to_timestamp(0), 0)::traffic_mark]
       union all
       select number + 1, slide_idle_window(marks, (to_timestamp(($1::float8[])[number + 1]), ($2::bigint[])[number + 1])::traffic_mark,
                                            $3, $4 * interval '1 second')
         from slid where number < cardinality($1::float8[])
     ) select extract(epoch from (marks[1]).at)::float8 as second, cardinality(marks) as marks
         from slid where number > 0 order by number`,
    [reports.map(({ second }) => second), totals, THRESHOLD, SLOT_SECONDS],
  );
}

/** The last moment since which the threshold was reached, that moment's report included; the purchase if there is none. */
function lastMomentOf(reports: readonly Report[]): number {
  let bytes = 0;
  for (const report of reports.toReversed()) {
    bytes += report.bytes;
    if (bytes >= THRESHOLD) return report.second;
  }
  return 0;
}

const reportsOf = (maxGap: number, maxBytes: number) =>
  fc
    .array(fc.record({ gap: fc.integer({ min: 1, max: maxGap }), bytes: fc.integer({ min: 1, max: maxBytes }) }), {
      minLength: 1,
      maxLength: 60,
    })
    .map((steps) => {
      let second = 0;
      return steps.map(({ gap, bytes }): Report => ({ second: (second += gap), bytes }));
    });

test('is exact if reports with traffic are half a slot apart or more', async () => {
  const sparse = reportsOf(300, 200).map((reports) =>
    reports.map(({ bytes }, index) => ({ bytes, second: (index + 1) * (SLOT_SECONDS / 2) + reports[index]!.second })),
  );
  await fc.assert(
    fc.asyncProperty(sparse, async (reports) => {
      const slid = await slide(reports);
      expect(slid.map(({ second }) => second)).toEqual(
        reports.map((_, index) => lastMomentOf(reports.slice(0, index + 1))),
      );
    }),
    { numRuns: 100 },
  );
});

test('is never early, at most one slot late, and keeps few marks, for any traffic', async () => {
  await fc.assert(
    fc.asyncProperty(fc.oneof(reportsOf(3, 20), reportsOf(60, 400), reportsOf(2, 3)), async (reports) => {
      for (const [index, { second, marks }] of (await slide(reports)).entries()) {
        const exact = lastMomentOf(reports.slice(0, index + 1));
        expect(second).toBeGreaterThanOrEqual(exact);
        expect(second - exact).toBeLessThan(SLOT_SECONDS);
        expect(marks).toBeLessThanOrEqual(2 * Math.ceil((reports[index]!.second - second) / SLOT_SECONDS) + 2);
      }
    }),
    { numRuns: 150 },
  );
});

test('one byte every half second for an idle time-out leaves at most two marks per slot', async () => {
  const reports = Array.from({ length: 1000 }, (_, index) => ({
    second: (index + 1) * (IDLE_SECONDS / 1000),
    bytes: 1,
  }));
  const marks = (await slide(reports)).map((each) => each.marks);
  expect(Math.max(...marks)).toBeLessThanOrEqual((2 * IDLE_SECONDS) / SLOT_SECONDS + 2);
});
