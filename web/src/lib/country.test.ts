import { describe, expect, it } from 'vitest';
import { countryName } from './country.ts';

describe('countryName', () => {
  it('names a country in the language of the reader', () => {
    expect(countryName('DE', 'en')).toBe('Germany');
    expect(countryName('DE', 'ru')).toBe('Германия');
  });

  it('takes codes in either case', () => {
    expect(countryName('us', 'en')).toBe('United States');
  });

  it('shows what it does not know as it is', () => {
    expect(countryName('QQ', 'en')).toBe('QQ');
    expect(countryName('not a code', 'en')).toBe('not a code');
  });
});
