import { expect, it } from 'vitest';
import { changeOf } from './change.ts';

it.each([
  [12, 10, { direction: 'more', percent: 20 }],
  [5, 10, { direction: 'less', percent: 50 }],
  [10.01, 10, { direction: 'same' }],
  [10, 0, { direction: 'none' }],
  [10, -1, { direction: 'none' }],
  [1_000_000, 1, { direction: 'more', percent: 999 }],
  [-5, 10, { direction: 'less', percent: 150 }],
  [0, 0, undefined],
  [5, undefined, undefined],
])('compares %d with %s', (total, before, change) => {
  expect(changeOf(total, before)).toEqual(change);
});
