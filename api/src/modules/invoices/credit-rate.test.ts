import { expect, test } from 'vitest';
import { chooseCreditRate } from './credit.ts';

const volatile = { isStable: false };
const expiredAt = new Date('2026-03-01T12:00:00Z');
const inTime = new Date('2026-03-01T11:59:59.999Z');
const late = expiredAt;

test('a payment in time gets the rate of the invoice, not the rate on arrival', () => {
  expect(chooseCreditRate(volatile, 90n, inTime, { rateE12: 100n, expiredAt })).toBe(100n);
  expect(chooseCreditRate(volatile, 110n, inTime, { rateE12: 100n, expiredAt })).toBe(100n);
  expect(chooseCreditRate(volatile, undefined, inTime, { rateE12: 100n, expiredAt })).toBe(100n);
});

test('a late payment gets the lower of the two rates', () => {
  expect(chooseCreditRate(volatile, 90n, late, { rateE12: 100n, expiredAt })).toBe(90n);
  expect(chooseCreditRate(volatile, 110n, late, { rateE12: 100n, expiredAt })).toBe(100n);
});

test('a payment without an invoice gets the rate on arrival', () => {
  expect(chooseCreditRate(volatile, 90n, late, undefined)).toBe(90n);
});

test('a payment that needs a rate waits while there is none', () => {
  expect(chooseCreditRate(volatile, undefined, late, { rateE12: 100n, expiredAt })).toBeUndefined();
  expect(chooseCreditRate(volatile, undefined, late, undefined)).toBeUndefined();
});

test('a stablecoin is always one dollar', () => {
  expect(chooseCreditRate({ isStable: true }, undefined, late, undefined)).toBe(10n ** 12n);
  expect(chooseCreditRate({ isStable: true }, 90n, late, { rateE12: 100n, expiredAt })).toBe(10n ** 12n);
});
