import { expect, it } from 'vitest';
import { collapse } from './breadcrumbs.tsx';

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

it('keeps up to eight items', () => {
  for (const count of [1, 2, 8]) expect(collapse(numbers(count))).toEqual(numbers(count));
});

it('keeps the first and the last of more, eight places in all', () => {
  expect(collapse(numbers(9))).toEqual([1, undefined, 4, 5, 6, 7, 8, 9]);
  expect(collapse(numbers(20))).toEqual([1, undefined, 15, 16, 17, 18, 19, 20]);
});
