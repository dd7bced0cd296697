import { describe, expect, test } from 'vitest';
import { maximumCharge, parseCap } from './traffic-cap-field.tsx';

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
  test('of a purchase is the price of the cap, or the balance if that is less', () => {
    expect(maximumCharge({ price: 0.8, cap: 100, balance: 5 })).toBe(0.8);
    expect(maximumCharge({ price: 0.8, cap: 1000, balance: 5 })).toBe(5);
    expect(maximumCharge({ price: 0.8, cap: null, balance: 5 })).toBe(5);
  });

  test('includes the first 50 MB, which are paid at once', () => {
    expect(maximumCharge({ price: 0.8, cap: 10, balance: 5 })).toBe(0.4);
  });

  test('of a connection includes its cost until now', () => {
    expect(maximumCharge({ price: 0.8, cap: 100, balance: 5, paidFor: 0.5 })).toBe(0.8);
    expect(maximumCharge({ price: 0.8, cap: null, balance: 0.25, paidFor: 0.5 })).toBe(0.75);
  });
});
