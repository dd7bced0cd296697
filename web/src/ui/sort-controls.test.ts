import { expect, it } from 'vitest';
import { toSort, toSorting } from './sort-controls.tsx';

it('parses and formats a column with its order', () => {
  expect(toSorting('spent')).toEqual([{ id: 'spent', desc: false }]);
  expect(toSorting('-spent')).toEqual([{ id: 'spent', desc: true }]);
  for (const sort of ['spent', '-spent']) expect(toSort(toSorting(sort))).toBe(sort);
});

it('is empty for a list without sorting', () => {
  expect(toSorting(undefined)).toEqual([]);
  expect(toSort([])).toBeUndefined();
});
