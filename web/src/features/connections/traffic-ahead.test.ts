import { expect, it } from 'vitest';
import { trafficAhead } from './traffic-ahead.ts';

const used = (megabytes: number, capMegabytes: number | null = null) => ({
  trafficUsed: megabytes * 1024,
  capMegabytes,
});

it('counts down the first 50 MB, and then nothing', () => {
  expect(trafficAhead(used(12.5))).toEqual({
    kind: 'PREPAID',
    ofMegabytes: 50,
    leftKibibytes: 37.5 * 1024,
    usedPercent: 25,
  });
  expect(trafficAhead(used(50))).toBeUndefined();
});

it('counts down a limit, also past the first 50 MB, and never below zero', () => {
  expect(trafficAhead(used(75, 100))).toMatchObject({ kind: 'CAP', ofMegabytes: 100, usedPercent: 75 });
  expect(trafficAhead(used(3.1, 3))).toMatchObject({ leftKibibytes: 0, usedPercent: 100 });
});
