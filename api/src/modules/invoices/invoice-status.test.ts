import fc from 'fast-check';
import { expect, test } from 'vitest';
import { currencyRules } from '../../payments/currencies.ts';
import { toStatus, type DepositAmount } from './invoice-status.ts';

const credited = (units: bigint): DepositAmount => ({ units, isCredited: true });
const waiting = (units: bigint): DepositAmount => ({ units, isCredited: false });
const RULES = { paidFromBasisPoints: 9900n, smallestPaymentUnits: 1n };
const statusOf = (deposits: DepositAmount[], { hasEnded = false, rules = {} } = {}) =>
  toStatus({ dueUnits: 10_000n, rules: { ...RULES, ...rules }, hasEnded, deposits });

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
  expect(statusOf([credited(9949n)], { rules: { paidFromBasisPoints: 9950n } })).toBe('PARTIALLY_PAID');
  expect(statusOf([credited(9950n)], { rules: { paidFromBasisPoints: 9950n } })).toBe('PAID');
});

test.each([
  ['BTC', 5000n, 4454n, 'PARTIALLY_PAID'],
  ['BTC', 5000n, 4455n, 'PAID'],
  ['LTC', 500_000n, 494_540n, 'PARTIALLY_PAID'],
  ['LTC', 500_000n, 494_541n, 'PAID'],
  ['ETH', 10n ** 15n, 98n * 10n ** 13n, 'PARTIALLY_PAID'],
] as const)(
  'no rest is asked for that the network of %s does not carry: of %i units %i are %s',
  (currency, dueUnits, units, status) => {
    const rules = { ...currencyRules[currency], paidFromBasisPoints: 9950n };
    expect(toStatus({ dueUnits, rules, hasEnded: false, deposits: [credited(units)] })).toBe(status);
  },
);

test('the order of deposits does not matter', () => {
  const payment = fc.record({ units: fc.bigInt(1n, 20_000n), isCredited: fc.boolean() });
  fc.assert(
    fc.property(fc.array(payment), fc.boolean(), (deposits, hasEnded) => {
      expect(statusOf(deposits.toReversed(), { hasEnded })).toBe(statusOf(deposits, { hasEnded }));
    }),
  );
});
