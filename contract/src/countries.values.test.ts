import { expect, test } from 'vitest';
import { isCountryCode } from './countries.values.ts';

const letters = Array.from({ length: 26 }, (_, index) => String.fromCodePoint(65 + index));
const pairs = letters.flatMap((first) => letters.map((second) => first + second));

test('countries are the 249 of ISO 3166-1, and Kosovo', () => {
  expect(pairs.filter(isCountryCode)).toHaveLength(249 + 1);
  for (const code of ['DE', 'GB', 'US', 'TW', 'XK']) expect(isCountryCode(code)).toBe(true);
});

test.each(['UK', 'EU', 'UN', 'XX', 'ZZ', 'AA', 'QQ', 'SU', 'AN', 'IC', 'de', 'D', 'DEU', '', ' DE', 'AD AE'])(
  '%j is no country',
  (code) => {
    expect(isCountryCode(code)).toBe(false);
  },
);
