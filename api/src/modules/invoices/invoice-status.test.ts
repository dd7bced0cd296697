import fc from 'fast-check';
import { expect, test } from 'vitest';
import { toStatus, type DepositAmount } from './invoice-status.ts';

const credited = (units: bigint): DepositAmount => ({ units, isCredited: true });
const waiting = (units: bigint): DepositAmount => ({ units, isCredited: false });
const statusOf = (deposits: DepositAmount[], { hasEnded = false, paidFromBasisPoints = 9900n } = {}) =>
  toStatus({ dueUnits: 10_000n, paidFromBasisPoints, hasEnded, deposits });

test.each([
  ['nothing seen', [], 'PENDING'],
  ['a payment seen', [waiting(10_000n)], 'CONFIRMING'],
  ['a short payment credited', [credited(9899n)], 'PARTIALLY_PAID'],
  ['a short payment credited and the rest seen', [credited(5000n), waiting(5000n)], 'CONFIRMING'],
  ['99 % credited', [credited(9900n)], 'PAID'],
  ['all of it credited', [credited(10_000n)], 'PAID'],
  ['all of it credited in parts', [credited(1n), credited(9999n)], 'PAID'],
  ['101 % credited', [credited(10_100n)], 'PAID'],
  ['more than 101 % credited', [credited(10_101n)], 'OVERPAID'],
  ['all of it credited and more seen', [credited(10_000n), waiting(10_000n)], 'PAID'],
] as const)('an invoice with %s', (_, deposits, status) => {
  expect(statusOf([...deposits])).toBe(status);
});

test('only invoices without deposits expire', () => {
  expect(statusOf([], { hasEnded: true })).toBe('EXPIRED');
  expect(statusOf([waiting(1n)], { hasEnded: true })).toBe('CONFIRMING');
  expect(statusOf([credited(1n)], { hasEnded: true })).toBe('PARTIALLY_PAID');
  expect(statusOf([credited(10_000n)], { hasEnded: true })).toBe('PAID');
});

test('a stablecoin is paid from 99.5 % on', () => {
  expect(statusOf([credited(9949n)], { paidFromBasisPoints: 9950n })).toBe('PARTIALLY_PAID');
  expect(statusOf([credited(9950n)], { paidFromBasisPoints: 9950n })).toBe('PAID');
});

test('the order of deposits does not matter', () => {
  const payment = fc.record({ units: fc.bigInt(1n, 20_000n), isCredited: fc.boolean() });
  fc.assert(
    fc.property(fc.array(payment), fc.boolean(), (deposits, hasEnded) => {
      expect(statusOf(deposits.toReversed(), { hasEnded })).toBe(statusOf(deposits, { hasEnded }));
    }),
  );
});
