import { describe, expect, it } from 'vitest';
import { codeSearch, pageSearch, referralSearch, transactionsSearch } from './search.ts';

describe('pageSearch', () => {
  it('leaves the first page and anything that is no page out of the address', () => {
    expect(pageSearch({ page: '3' })).toEqual({ page: 3 });
    for (const page of ['1', '0', '-2', '1.5', 'x', undefined]) expect(pageSearch({ page })).toEqual({});
  });
});

describe('transactionsSearch', () => {
  it('keeps kinds and days', () => {
    const search = { kind: 'TOP_UP,REFUND', from: '2026-02-28', to: '2026-03-01', page: '2' };
    expect(transactionsSearch(search)).toEqual({ ...search, page: 2 });
  });

  it('leaves out what is no day', () => {
    for (const from of ['2026-02-30', '2026-13-01', 'yesterday', '20260101', '', 2026])
      expect(transactionsSearch({ from })).toEqual({});
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
