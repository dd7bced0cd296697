import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseAmount } from './amount.ts';

const NO_BREAK_SPACE = '\u00A0';
const NARROW_NO_BREAK_SPACE = '\u202F';
const THIN_SPACE = '\u2009';

describe.each([
  ['en', ['.'], [',']],
  ['ru', [',', '.'], [' ', NO_BREAK_SPACE, NARROW_NO_BREAK_SPACE, THIN_SPACE]],
] as const)('amounts in %s', (language, decimalMarks, separators) => {
  it('parses every notation of an amount', () => {
    fc.assert(
      fc.property(
        fc.nat({ max: 10_000_000_000 }),
        fc.constantFrom(...decimalMarks),
        fc.constantFrom('', ...separators),
        fc.constantFrom('', '$', ' ', '$ '),
        (cents, mark, separator, before) => {
          const dollars = String(Math.floor(cents / 100)).replaceAll(/\B(?=(?:\d{3})+$)/g, separator);
          const text = `${before}${dollars}${mark}${String(cents % 100).padStart(2, '0')}`;
          expect(parseAmount(text, language)).toBe(cents / 100);
        },
      ),
    );
  });

  it('returns undefined or the digits of the text: no text becomes an amount with other digits', () => {
    const characters = fc.constantFrom(...'0123456789,. $-e'.split(''), NO_BREAK_SPACE);
    fc.assert(
      fc.property(fc.string({ unit: characters, maxLength: 14 }), (text) => {
        const amount = parseAmount(text, language);
        if (amount === undefined) return;
        const [whole = '', cents = ''] = amount.toFixed(2).split('.');
        const digits = text.replaceAll(/\D/g, '');
        const typedCents = new RegExp(`[${decimalMarks.join('')}](\\d{0,2})$`).exec(text.trim())?.[1] ?? '';
        expect(digits).toBe(whole + typedCents);
        expect(cents).toBe(typedCents.padEnd(2, '0'));
      }),
      { numRuns: 20_000 },
    );
  });
});

it.each([
  ['en', '1,000', 1000],
  ['en', '1,000.5', 1000.5],
  ['en', '12.', 12],
  ['ru', '1,5', 1.5],
  ['ru', '1.50', 1.5],
  ['ru', '1 000,50', 1000.5],
] as const)('in %s %j is %d', (language, text, amount) => {
  expect(parseAmount(text, language)).toBe(amount);
});

it.each([
  ['en', '42,50'],
  ['en', '1,00'],
  ['en', '1,0000'],
  ['en', '1,000,00'],
  ['en', '1000,000'],
  ['en', '0,123'],
  ['en', '1.000,50'],
  ['en', '1 000'],
  ['en', '1.005'],
  ['en', '.'],
  ['en', '.5'],
  ['en', '-5'],
  ['en', '1e3'],
  ['en', '0x10'],
  ['en', 'Infinity'],
  ['en', '٤٢'],
  ['en', ''],
  ['en', '9'.repeat(400)],
  ['ru', '1,000'],
  ['ru', '1.000'],
  ['ru', '1,000.50'],
  ['ru', '1.000,50'],
  ['ru', '10 00'],
  ['ru', `1 000${NO_BREAK_SPACE}000`],
  ['ru', '1  000'],
] as const)('in %s %j is no amount', (language, text) => {
  expect(parseAmount(text, language)).toBeUndefined();
});
