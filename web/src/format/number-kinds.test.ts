import i18next from 'i18next';
import { expect, test } from 'vitest';
import { type Bounds, type NumberKindName, readNumber } from './number-kinds.ts';

test.each<['en' | 'ru', NumberKindName, string, number, string]>([
  ['en', 'money', '1,234.5', 1234.5, '$1,234.50'],
  ['en', 'money', '7 $', 7, '$7.00'],
  ['ru', 'money', '1 234,5', 1234.5, '$1\u00A0234,50'],
  ['en', 'exactMoney', '0.000001', 0.000_001, '$0.000001'],
  ['en', 'moneyChange', '-$5', -5, '-$5.00'],
  ['en', 'price', '0.1234', 0.1234, '$0.1234'],
  ['en', 'coins', '1234.000000000000000001', 1234, '1,234.000000000000000001'],
  ['en', 'percentChange', '-95 %', -95, '-95%'],
  ['ru', 'percentChange', '2,5%', 2.5, '2,5%'],
  ['en', 'count', '10000', 10_000, '10,000'],
  ['ru', 'count', '10 000', 10_000, '10\u00A0000'],
])('in %s the %s "%s" is read as %d and shown as "%s"', async (language, kind, text, value, shown) => {
  await i18next.changeLanguage(language);
  expect(readNumber(kind, text)).toMatchObject({ value, shown });
});

test.each<[NumberKindName, string, Bounds, string]>([
  ['money', 'abc', {}, 'Enter an amount like 1,234.56'],
  ['money', '1e3', {}, 'Enter an amount like 1,234.56'],
  ['money', '0x10', {}, 'Enter an amount like 1,234.56'],
  ['money', '7 %', {}, 'Enter an amount like 1,234.56'],
  ['money', '1.005', {}, 'At most 2 decimals'],
  ['money', '100001', { max: 100_000 }, 'Maximum value $100,000.00'],
  ['exactMoney', '0', { isNonZero: true }, 'Enter a number other than 0'],
  ['price', '0', { min: 0.0001 }, 'Minimum value $0.0001'],
  ['percentChange', '-95 %', { min: -90 }, 'Minimum value -90%'],
  ['percentChange', '5 $', {}, 'Enter a percentage like 2.5'],
  ['count', '1.5', {}, 'Enter a whole number like 1,234'],
  ['count', '$5', {}, 'Enter a whole number like 1,234'],
  ['count', '10000001', { max: 10_000_000 }, 'Maximum value 10,000,000'],
])('the %s "%s" within %o is refused: %s', async (kind, text, bounds, fault) => {
  await i18next.changeLanguage('en');
  expect(readNumber(kind, text, bounds).fault).toBe(fault);
  expect(readNumber(kind, text, bounds).value).toBeUndefined();
});

test('more digits mend a number that is too small, but no negative one', () => {
  expect(readNumber('count', '1', { min: 5 }).isTooSmall).toBe(true);
  expect(readNumber('percentChange', '-95', { min: -90 }).isTooSmall).toBeUndefined();
});

test('an empty field and a lone sign are no number yet', () => {
  expect(readNumber('money', ' ')).toEqual({});
  expect(readNumber('moneyChange', '-')).toEqual({});
});
