import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  isDollarAmount,
  megabytePrice,
  startedMegabytes,
  megabytesToBytes,
  prepaidPrice,
  toDollars,
  toDollarText,
  toKibibytes,
  toMicros,
} from './units.ts';

describe('money', () => {
  test('every amount of micro-dollars up to a billion dollars survives a round trip over the wire', () => {
    const micros = fc.bigInt({ min: -1_000_000_000_000_000n, max: 1_000_000_000_000_000n });
    fc.assert(
      fc.property(micros, (value) => {
        expect(toMicros(JSON.parse(JSON.stringify(toDollars(value))) as number)).toBe(value);
      }),
    );
  });

  test.each([0.1 + 0.2, 0.000_000_1, Number.NaN, Number.POSITIVE_INFINITY, 1e300])('refuses %s', (dollars) => {
    expect(isDollarAmount(dollars)).toBe(false);
    expect(() => toMicros(dollars)).toThrow(RangeError);
  });

  test.each([
    [0n, '0.000000'],
    [1n, '0.000001'],
    [-8000n, '-0.008000'],
    [25_000_000n, '25.000000'],
    [-1_234_567_890n, '-1234.567890'],
  ])('%s micro-dollars are written as %s', (micros, text) => {
    expect(toDollarText(micros)).toBe(text);
  });

  test('50 MB cost half of the price, one MB a hundredth', () => {
    expect(prepaidPrice(800_000n)).toBe(400_000n);
    expect(megabytePrice(800_000n)).toBe(8000n);
  });
});

describe('traffic', () => {
  test.each([
    [0n, 0n],
    [1n, 1n],
    [1_048_576n, 1n],
    [1_048_577n, 2n],
  ])('%s bytes have begun %s megabytes', (bytes, megabytes) => {
    expect(startedMegabytes(bytes)).toBe(megabytes);
  });

  test('KiB keep every byte', () => {
    expect(toKibibytes(megabytesToBytes(5n) + 1n) * 1024).toBe(5 * 1_048_576 + 1);
  });
});
