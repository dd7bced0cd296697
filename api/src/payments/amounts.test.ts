import { currencies } from '@cellhop/contract/invoices.values';
import { INVOICE_DOLLARS_MAX, INVOICE_DOLLARS_MIN } from '@cellhop/contract/limits';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatUnits, PAR_RATE_E12, parseUnits, toCreditMicros, toDueUnits } from './amounts.ts';
import { currencyRules } from './currencies.ts';

const rules = fc.constantFrom(...currencies).map((currency) => currencyRules[currency]);
const amountMicros = fc.bigInt(BigInt(INVOICE_DOLLARS_MIN) * 1_000_000n, BigInt(INVOICE_DOLLARS_MAX) * 1_000_000n);
/** From a hundredth of a cent to ten million dollars for one coin. */
const rateE12 = fc.bigInt(10n ** 8n, 10n ** 19n);
const units = fc.bigInt(0n, 10n ** 30n);

test.each([
  ['0.00012345', 'BTC', 12_345n],
  ['1', 'BTC', 100_000_000n],
  ['5.00', 'USDT_TRC20', 5_000_000n],
  ['5.00', 'USDT_BSC', 5_000_000_000_000_000_000n],
  ['0.000000000000000001', 'ETH', 1n],
  ['0', 'TON', 0n],
] as const)('%s %s is %d units', (text, currency, expected) => {
  expect(parseUnits(text, currencyRules[currency])).toBe(expected);
});

test.each([
  ['0.000000001', 'BTC'],
  ['1.0000001', 'USDT_ERC20'],
  ['', 'BTC'],
  ['.5', 'BTC'],
  ['1.', 'BTC'],
  ['1e3', 'BTC'],
  ['-1', 'BTC'],
  [' 1', 'BTC'],
] as const)('"%s" is not a valid amount of %s', (text, currency) => {
  expect(parseUnits(text, currencyRules[currency])).toBeUndefined();
});

test('an amount is formatted with the displayed decimals, or more if needed', () => {
  expect(formatUnits(5_000_000n, currencyRules.USDT_TRC20)).toBe('5.00');
  expect(formatUnits(5_000_001n, currencyRules.USDT_TRC20)).toBe('5.000001');
  expect(formatUnits(1n, currencyRules.BTC)).toBe('0.00000001');
  expect(formatUnits(2_500_000_000n, currencyRules.TON)).toBe('2.500');
});

test('formatted amounts are parsed to the same units', () => {
  fc.assert(
    fc.property(rules, units, (rule, amount) => {
      expect(parseUnits(formatUnits(amount, rule), rule)).toBe(amount);
    }),
  );
});

test('paying the due amount credits at least the amount, one displayed step less does not', () => {
  fc.assert(
    fc.property(rules, amountMicros, rateE12, (rule, amount, rate) => {
      const due = toDueUnits(amount, rate, rule);
      const step = 10n ** BigInt(rule.decimals - rule.displayDecimals);
      expect(due % step).toBe(0n);
      expect(toCreditMicros(due, rate, rule)).toBeGreaterThanOrEqual(amount);
      expect((due - step) * rate).toBeLessThan(amount * 10n ** BigInt(rule.decimals + 6));
    }),
  );
});

test('a credit is units times rate, rounded down to a micro-dollar', () => {
  fc.assert(
    fc.property(rules, units, rateE12, (rule, paid, rate) => {
      const worth = paid * rate;
      const microWorth = 10n ** BigInt(rule.decimals + 6);
      const credit = toCreditMicros(paid, rate, rule);
      expect(credit * microWorth).toBeLessThanOrEqual(worth);
      expect((credit + 1n) * microWorth).toBeGreaterThan(worth);
    }),
  );
});

test('a payment in parts never credits more than one payment', () => {
  fc.assert(
    fc.property(rules, fc.array(units, { maxLength: 8 }), rateE12, (rule, parts, rate) => {
      const whole = parts.reduce((sum, part) => sum + part, 0n);
      const credited = parts.reduce((sum, part) => sum + toCreditMicros(part, rate, rule), 0n);
      expect(credited).toBeLessThanOrEqual(toCreditMicros(whole, rate, rule));
    }),
  );
});

test('USDT is worth a dollar whether it has 6 or 18 decimals', () => {
  for (const currency of ['USDT_TRC20', 'USDT_ERC20', 'USDT_BSC', 'USDT_TON'] as const) {
    const rule = currencyRules[currency];
    expect(formatUnits(toDueUnits(25_000_000n, PAR_RATE_E12, rule), rule)).toBe('25.00');
    expect(toCreditMicros(parseUnits('25.000001', rule)!, PAR_RATE_E12, rule)).toBe(25_000_001n);
  }
});
