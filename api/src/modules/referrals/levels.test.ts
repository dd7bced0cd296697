import { expect, test } from 'vitest';
import { bonusMicros, levelFromPayments } from './levels.service.ts';

test.each([
  [0, 'BASIC'],
  [1, 'SILVER'],
  [5, 'SILVER'],
  [6, 'GOLD'],
  [10, 'GOLD'],
  [11, 'PLATINUM'],
  [21, 'PLATINUM'],
  [22, 'PARTNER'],
  [1000, 'PARTNER'],
] as const)('%i top-ups of referrals in a month reach %s', (payments, level) => {
  expect(levelFromPayments(payments)).toBe(level);
});

test.each([
  ['BASIC', 25_000_000n, 0n],
  ['SILVER', 25_000_000n, 2_500_000n],
  ['GOLD', 25_000_000n, 3_750_000n],
  ['PLATINUM', 25_000_000n, 5_000_000n],
  ['PARTNER', 25_000_000n, 6_250_000n],
  ['SILVER', 19n, 1n],
  ['SILVER', 9n, 0n],
] as const)('the bonus of %s on a top-up of %d micro-dollars is %d', (level, topUpMicros, bonus) => {
  expect(bonusMicros(level, topUpMicros)).toBe(bonus);
});
