import { expect, it } from 'vitest';
import { toDuration } from './duration.ts';

it.each([
  [0, 'minutes', { days: 0, hours: 0, minutes: 0 }],
  [89, 'minutes', { days: 0, hours: 0, minutes: 1 }],
  [3599, 'hours', { days: 0, hours: 1, minutes: 0 }],
  [7500, 'hours', { days: 0, hours: 2, minutes: 5 }],
  [86_399, 'days', { days: 1, hours: 0, minutes: 0 }],
  [187_000, 'days', { days: 2, hours: 4, minutes: 0 }],
])('%i seconds are shown in %s', (seconds, unit, values) => {
  expect(toDuration(seconds)).toEqual({ unit, values });
});
