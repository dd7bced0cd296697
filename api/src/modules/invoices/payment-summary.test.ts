import fc from 'fast-check';
import { expect, test } from 'vitest';
import { currencyRules } from '../../payments/currencies.ts';
import { summarizePayment } from './invoice-amounts.ts';
import { toStatus } from './invoice-status.ts';

const ENDS_AT = new Date('2026-11-21T12:15:00.000Z');
const inTime = new Date(ENDS_AT.getTime() - 1);
/** 25 dollars at 25 cents. */
const dueUnits = 100_000_000n;
const rules = currencyRules.TRX;

interface Payment {
  units: bigint;
  isCredited?: boolean;
  arrivedAt?: Date;
  isByHand?: boolean;
}

function summaryOf(payments: readonly Payment[]) {
  const deposits = payments.map(({ units, isCredited = true, arrivedAt = inTime, isByHand = false }) => ({
    units,
    isCredited,
    arrivedAt,
    isByHand,
    creditedMicros: isCredited ? units / 4n : null,
  }));
  const status = toStatus({ dueUnits, rules, hasEnded: false, deposits });
  return summarizePayment({ dueUnits, status, expiredAt: ENDS_AT, deposits }, rules);
}

test('reports the missing amount and the credit of a short payment', () => {
  expect(summaryOf([{ units: 40_000_000n }])).toEqual({
    receivedUnits: 40_000_000n,
    confirmingUnits: 0n,
    missingUnits: 60_000_000n,
    excessUnits: 0n,
    creditedMicros: 10_000_000n,
    isLate: false,
  });
});

test('the missing amount is rounded up to the displayed decimals', () => {
  expect(summaryOf([{ units: 39_999_999n }]).missingUnits).toBe(60_010_000n);
});

test('payments that are being confirmed are not missing', () => {
  const both = [{ units: 40_000_000n }, { units: 60_000_000n, isCredited: false }];
  expect(summaryOf(both)).toMatchObject({
    confirmingUnits: 60_000_000n,
    missingUnits: 0n,
    creditedMicros: 10_000_000n,
  });
  expect(summaryOf([{ units: 40_000_000n, isCredited: false }]).missingUnits).toBe(60_000_000n);
});

test('nothing is missing while a payment within the tolerance is being confirmed', () => {
  expect(summaryOf([{ units: 99_000_000n, isCredited: false }]).missingUnits).toBe(0n);
});

test('within the tolerance nothing is missing or in excess', () => {
  expect(summaryOf([{ units: 99_000_000n }])).toMatchObject({ missingUnits: 0n, excessUnits: 0n });
  expect(summaryOf([{ units: 101_000_000n }])).toMatchObject({ missingUnits: 0n, excessUnits: 0n });
  expect(summaryOf([{ units: 101_000_001n }])).toMatchObject({ missingUnits: 0n, excessUnits: 1_000_001n });
});

test('a payment at the expiry time is late, one just before is not', () => {
  expect(summaryOf([{ units: 1n, arrivedAt: inTime }]).isLate).toBe(false);
  expect(
    summaryOf([
      { units: 1n, arrivedAt: inTime },
      { units: 1n, arrivedAt: ENDS_AT },
    ]).isLate,
  ).toBe(true);
});

test('paying the missing amount always makes the invoice paid', () => {
  const units = fc.bigInt(1n, 98_999_999n);
  fc.assert(
    fc.property(units, (first) => {
      const { missingUnits } = summaryOf([{ units: first }]);
      expect(missingUnits).toBeGreaterThan(0n);
      expect(summaryOf([{ units: first }, { units: missingUnits }])).toMatchObject({
        missingUnits: 0n,
        excessUnits: 0n,
      });
    }),
  );
});

test('a payment recorded by staff is never late', () => {
  const arrivedAt = new Date(ENDS_AT.getTime() + 1);
  expect(summaryOf([{ units: 40_000_000n, arrivedAt }]).isLate).toBe(true);
  expect(summaryOf([{ units: 40_000_000n, arrivedAt, isByHand: true }]).isLate).toBe(false);
});
