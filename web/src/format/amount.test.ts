import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseDecimal } from './amount.ts';

function parseAmount(...given: Parameters<typeof parseDecimal>): number | undefined {
  const decimal = parseDecimal(...given);
  return decimal === undefined ? undefined : Number(decimal);
}

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
        fc.constantFrom(['', ''], ['$', ''], [' ', ' '], ['$ ', ''], ['', '$'], ['', ' $ ']),
        (cents, mark, separator, [before, after]) => {
          const dollars = String(Math.floor(cents / 100)).replaceAll(/\B(?=(?:\d{3})+$)/g, separator);
          const text = `${before}${dollars}${mark}${String(cents % 100).padStart(2, '0')}${after}`;
          expect(parseAmount(text, { language })).toBe(cents / 100);
        },
      ),
    );
  });

  it('returns undefined or the digits of the text: no text becomes an amount with other digits', () => {
    const characters = fc.constantFrom(...'0123456789,. $-e'.split(''), NO_BREAK_SPACE);
    fc.assert(
      fc.property(fc.string({ unit: characters, maxLength: 14 }), (text) => {
        const amount = parseAmount(text, { language });
        if (amount === undefined) return;
        const [whole = '', cents = ''] = amount.toFixed(2).split('.');
        const digits = text.replaceAll(/\D/g, '');
        const typedCents =
          new RegExp(`[${decimalMarks.join('')}](\\d{0,2})$`).exec(text.trim().replace(/\s*\$$/, ''))?.[1] ?? '';
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
  ['en', '7 $', 7],
  ['en', '$ 7', 7],
  ['ru', '1,5', 1.5],
  ['ru', '1.50', 1.5],
  ['ru', '1 000,50', 1000.5],
] as const)('in %s %j is %d', (language, text, amount) => {
  expect(parseAmount(text, { language })).toBe(amount);
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
  ['en', '$7$'],
  ['en', '$'],
  ['en', '7 %'],
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
  expect(parseAmount(text, { language })).toBeUndefined();
});

const ofStaff = { decimals: 6, isSigned: true } as const;

it.each([
  ['en', '1,234', 1234],
  ['en', '-1,234.000001', -1234.000_001],
  ['en', '−3', -3],
  ['en', '+1.5', 1.5],
  ['en', '-$5', -5],
  ['en', '1.234', 1.234],
  ['ru', '0,000001', 0.000_001],
  ['ru', '-1 234,5', -1234.5],
  ['ru', '1,2340', 1.234],
] as const)('staff in %s enter %j for %d dollars', (language, text, amount) => {
  expect(parseAmount(text, { ...ofStaff, language })).toBe(amount);
});

it.each([
  ['en', '1,5'],
  ['en', '0.0000001'],
  ['en', '--1'],
  ['en', '-'],
  ['en', '5-'],
  ['ru', '1,234'],
  ['ru', '-999,999'],
  ['ru', '1,234.5'],
] as const)('staff in %s cannot enter %j', (language, text) => {
  expect(parseAmount(text, { ...ofStaff, language })).toBeUndefined();
});

it('no text means different amounts in different languages', () => {
  const characters = fc.constantFrom(...'0123456789,. -'.split(''));
  fc.assert(
    fc.property(fc.string({ unit: characters, maxLength: 9 }), (text) => {
      const [english, russian] = (['en', 'ru'] as const).map((language) => parseAmount(text, { ...ofStaff, language }));
      if (english === undefined || russian === undefined) return;
      expect(russian).toBe(english);
    }),
    { numRuns: 5000 },
  );
});

it('keeps all decimals of a coin as a text', () => {
  const coins = { decimals: 18, language: 'en' } as const;
  expect(parseDecimal('1,234.000000000000000001', coins)).toBe('1234.000000000000000001');
  expect(parseDecimal('0.0000000000000000001', coins)).toBeUndefined();
  expect(parseDecimal('5.', coins)).toBe('5');
});
