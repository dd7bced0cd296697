import { expect, test } from 'vitest';
import { allowListSchema } from './connections.ts';

test('an allow-list is in canonical form, each network once', () => {
  const list = ['203.0.113.77/24', '203.0.113.0/24', '::ffff:198.51.100.7', '198.51.100.7/32', '2001:DB8:1:2ff::/56'];
  expect(allowListSchema.parse(list)).toEqual(['203.0.113.0/24', '198.51.100.7/32', '2001:db8:1:200::/56']);
});

test.each([
  ['a large network', ['203.0.112.0/23']],
  ['a large network of IPv6', ['2001:db8::/55']],
  ['everybody', ['0.0.0.0/0']],
  ['a name', ['localhost']],
  ['21 addresses', Array.from({ length: 21 }, (_, index) => `203.0.113.${index}`)],
])('no allow-list has %s', (_name, list) => {
  expect(allowListSchema.safeParse(list).success).toBe(false);
});
