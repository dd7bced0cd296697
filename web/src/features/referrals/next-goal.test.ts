import { expect, it } from 'vitest';
import { nextGoal } from './next-goal.ts';

it.each([
  ['BASIC', 0, 'SILVER', 1],
  ['SILVER', 1, 'GOLD', 5],
  ['SILVER', 5, 'GOLD', 1],
  ['GOLD', 10, 'PLATINUM', 1],
  ['PLATINUM', 21, 'PARTNER', 1],
] as const)('above %s with %i top-ups is %s, and %i are missing', (reached, payments, level, missing) => {
  expect(nextGoal(reached, payments)).toEqual({ level, missing });
});

it('is undefined at the highest level', () => {
  expect(nextGoal('PARTNER', 22)).toBeUndefined();
});
