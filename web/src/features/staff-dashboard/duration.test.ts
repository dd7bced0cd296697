import { expect, it } from 'vitest';
import { toDuration } from './duration.ts';

it.each([
  [0, 0, 'seconds'],
  [89, 89, 'seconds'],
  [90, 2, 'minutes'],
  [3600, 60, 'minutes'],
  [5400, 2, 'hours'],
  [360_000, 100, 'hours'],
] as const)('%s seconds are %s %s', (seconds, count, unit) => {
  expect(toDuration(seconds)).toEqual({ count, unit });
});
