import type { Proxy } from '@cellhop/contract/proxies';
import { expect, it } from 'vitest';
import { sortProxies } from './sort-proxies.ts';

const proxies = [
  { id: 'a', price: 1, city: 'Kassel', isp: 'Zeta', connectionType: '4G' },
  { id: 'b', price: 2, city: 'Bonn', isp: 'Alfa', connectionType: '5G' },
  { id: 'c', price: 2, city: 'Kassel', isp: 'Alfa', connectionType: '4G' },
] as Proxy[];

it.each([
  ['price', 'abc'],
  ['-price', 'bca'],
  ['city', 'bac'],
  ['-city', 'acb'],
  ['isp', 'bca'],
  ['connectionType', 'acb'],
])('sorts by %s, and keeps the order of equal ones', (sort, ids) => {
  expect(
    sortProxies(proxies, sort)
      .map(({ id }) => id)
      .join(''),
  ).toBe(ids);
});
