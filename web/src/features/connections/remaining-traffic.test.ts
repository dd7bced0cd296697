import { expect, it } from 'vitest';
import { remainingTraffic } from './remaining-traffic.ts';

const used = (megabytes: number, capMegabytes: number | null = null) => ({
  trafficUsed: megabytes * 1024,
  capMegabytes,
});

it('counts down the first 50 MB, and then nothing', () => {
  expect(remainingTraffic(used(12.5))).toEqual({
    kind: 'PREPAID',
    ofMegabytes: 50,
    leftKibibytes: 37.5 * 1024,
    usedPercent: 25,
  });
  expect(remainingTraffic(used(50))).toBeUndefined();
});

it('counts down a limit, also past the first 50 MB, and never below zero', () => {
  expect(remainingTraffic(used(75, 100))).toMatchObject({ kind: 'CAP', ofMegabytes: 100, usedPercent: 75 });
  expect(remainingTraffic(used(3.1, 3))).toMatchObject({ leftKibibytes: 0, usedPercent: 100 });
});
