import { describe, expect, it } from 'vitest';
import { countryName } from './country.ts';

describe('countryName', () => {
  it('names a country in the language of the user', () => {
    expect(countryName('DE', 'en')).toBe('Germany');
    expect(countryName('DE', 'ru')).toBe('Германия');
  });

  it('accepts codes in upper and lower case', () => {
    expect(countryName('us', 'en')).toBe('United States');
  });

  it('returns unknown codes unchanged', () => {
    expect(countryName('QQ', 'en')).toBe('QQ');
    expect(countryName('not a code', 'en')).toBe('not a code');
  });
});
