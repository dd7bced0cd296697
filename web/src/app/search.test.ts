import { describe, expect, it } from 'vitest';
import { codeSearch, pageSearch, referralSearch } from './search.ts';

describe('pageSearch', () => {
  it('leaves the first page and anything that is no page out of the address', () => {
    expect(pageSearch({ page: '3' })).toEqual({ page: 3 });
    for (const page of ['1', '0', '-2', '1.5', 'x', undefined]) expect(pageSearch({ page })).toEqual({});
  });
});

describe('text parameters', () => {
  it('keeps digits as text', () => {
    expect(referralSearch({ rc: 12345 })).toEqual({ rc: '12345' });
    expect(referralSearch({ rc: '0012345' })).toEqual({ rc: '0012345' });
  });

  it('treats an empty one as missing', () => {
    expect(codeSearch({ code: '' })).toEqual({});
    expect(codeSearch({})).toEqual({});
  });
});
