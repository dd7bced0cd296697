import { describe, expect, it } from 'vitest';
import { parseSearch, stringifySearch } from './search-text.ts';

describe('search parameters', () => {
  it('keep text unchanged', () => {
    for (const search of [{ rc: '0012345' }, { q: 'a&b=c' }, { city: 'São Paulo' }, { q: 'true' }, { q: '["x"]' }])
      expect(parseSearch(stringifySearch(search))).toEqual(search);
  });

  it('repeat the key of a list', () => {
    expect(stringifySearch({ city: ['Berlin', 'Bonn'] })).toBe('?city=Berlin&city=Bonn');
    expect(parseSearch('?city=Berlin&city=Bonn&zip=1')).toEqual({ city: ['Berlin', 'Bonn'], zip: '1' });
  });

  it('omit missing values', () => {
    expect(stringifySearch({ page: undefined, city: [] })).toBe('');
    expect(parseSearch('')).toEqual({});
  });
});
