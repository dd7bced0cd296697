import { isCountryCode } from '@cellhop/contract/countries.values';
import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import english from '../i18n/locales/en/country.json' with { type: 'json' };
import russian from '../i18n/locales/ru/country.json' with { type: 'json' };
import { countryName } from './format.ts';

describe('countryName', () => {
  it('names a country in the language of the user', () => {
    expect(countryName('DE', 'en')).toBe('Germany');
    expect(countryName('DE', 'ru')).toBe('Германия');
  });

  it('has the names of Unicode, with ё', () => {
    const names = new Intl.DisplayNames(['ru'], { type: 'region' });
    const written = Object.keys(russian).map((code) => [code, names.of(code)?.replace('диненн', 'динённ')]);
    expect(russian).toEqual(Object.fromEntries(written));
  });

  it('accepts codes in upper and lower case', () => {
    expect(countryName('us', 'en')).toBe('United States');
  });

  it('returns unknown codes unchanged', () => {
    expect(countryName('QQ', 'en')).toBe('QQ');
    expect(countryName('not a code', 'en')).toBe('not a code');
  });

  it.each([
    ['en', english],
    ['ru', russian],
  ])('names every country that has a flag, %s', (_language, texts) => {
    const flags = readdirSync(new URL('../../../node_modules/flag-icons/flags/4x3', import.meta.url));
    const codes = flags.filter((file) => /^[a-z]{2}\.svg$/.test(file)).map((file) => file.slice(0, 2).toUpperCase());
    expect(codes.length).toBeGreaterThan(240);
    const missing = codes.filter((code) => !(code in texts));
    // The Pacific Community and the placeholder.
    expect(missing).toEqual(['PC', 'XX']);
    // What staff may import.
    const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'.split('');
    const countries = letters.flatMap((first) => letters.map((second) => first + second)).filter(isCountryCode);
    expect(countries.filter((code) => !codes.includes(code) || !(code in texts))).toEqual([]);
  });
});
