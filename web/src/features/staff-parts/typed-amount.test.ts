import { expect, it } from 'vitest';
import { parseDollars } from './typed-amount.ts';

it.each([
  ['25', 25],
  [' -0.75 ', -0.75],
  ['−3', -3],
  ['+1,5', 1.5],
  ['0.000001', 0.000_001],
])('reads %j as %d dollars', (text, amount) => {
  expect(parseDollars(text)).toBe(amount);
});

it.each(['', '1,234.5', '1 000', '$5', '1e3', '0.0000001', '1.', '--1', '9'.repeat(17)])('refuses %j', (text) => {
  expect(parseDollars(text)).toBeUndefined();
});
