import i18next from 'i18next';
import { describe, expect, test } from 'vitest';
import { chargeWords, parseCap } from './traffic-cap-field.tsx';

test.each([
  ['', null],
  ['  ', null],
  ['1', 1],
  [' 250 ', 250],
  ['1,000', 1000],
  ['0250', undefined],
  ['10000000', 10_000_000],
  ['10000001', undefined],
  ['0', undefined],
  ['-5', undefined],
  ['1.5', undefined],
  ['1e3', undefined],
])('the text "%s" is the cap %s', (text, cap) => {
  expect(parseCap(text)).toBe(cap);
});

describe('the maximum charge', () => {
  const t = i18next.getFixedT('en', 'proxyConnection');

  test('of a purchase is the price of the cap, or the balance if that is less', () => {
    expect(chargeWords({ price: 0.8, cap: 100, balance: 5 }, t)).toBe('Maximum possible charge: $0.80');
    expect(chargeWords({ price: 0.8, cap: 1000, balance: 5 }, t)).toBe('Maximum possible charge: $5.00');
  });

  test('includes the first 50 MB, which are paid at once', () => {
    expect(chargeWords({ price: 0.8, cap: 10, balance: 5 }, t)).toBe('Maximum possible charge: $0.40');
  });

  test('of a connection includes its cost until now', () => {
    expect(chargeWords({ price: 0.8, cap: 100, balance: 0.25, paidFor: 0.5 }, t)).toBe(
      'Maximum possible charge: $0.75',
    );
  });

  test('is not named without a cap: then each megabyte has its price', () => {
    expect(chargeWords({ price: 0.4, cap: null, balance: 5 }, t)).toBe(
      'Then $0.004 per MB until you disconnect, at most your balance',
    );
  });
});
