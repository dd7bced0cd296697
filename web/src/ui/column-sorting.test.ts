import { expect, it } from 'vitest';
import { toSort, toSorting } from './column-sorting.ts';

it('reads and writes a column with its order', () => {
  expect(toSorting('spent')).toEqual([{ id: 'spent', desc: false }]);
  expect(toSorting('-spent')).toEqual([{ id: 'spent', desc: true }]);
  for (const sort of ['spent', '-spent']) expect(toSort(toSorting(sort))).toBe(sort);
});

it('leaves a list that cannot be sorted as it is', () => {
  expect(toSorting(undefined)).toEqual([]);
  expect(toSort([])).toBeUndefined();
});
