import { expect, it } from 'vitest';
import { findOrder, toSort } from './sort-controls.tsx';

it('writes and finds the order of a column', () => {
  for (const order of ['ascending', 'descending'] as const)
    expect(findOrder(toSort('spent', order), 'spent')).toBe(order);
  expect([toSort('spent', 'ascending'), toSort('spent', 'descending')]).toEqual(['spent', '-spent']);
});

it('finds no order of another column, or of a list without sorting', () => {
  expect(findOrder('-spent', 'price')).toBeUndefined();
  expect(findOrder(undefined, 'spent')).toBeUndefined();
});
