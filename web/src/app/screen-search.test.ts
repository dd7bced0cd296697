import { filterGroups } from '@cellhop/contract/places.values';
import { describe, expect, it } from 'vitest';
import { codeSearch, referralSearch } from '../features/auth/screen.ts';
import { connectionsSearch } from '../features/connections/screen.ts';
import { invoicesSearch } from '../features/invoices/screen.ts';
import { catalogueSearch, proxySearch } from '../features/proxies/screen.ts';
import { staffTicketSearch, staffTicketsSearch } from '../features/staff-tickets/screen.ts';
import { transactionsSearch } from '../features/transactions/screen.ts';
import { usageSearch } from '../features/usage/screen.ts';
import { creatingSearch, pageSearch } from '../loading/search-values.ts';

describe('pageSearch', () => {
  it('omits the first page and invalid pages', () => {
    expect(pageSearch({ page: '3' })).toEqual({ page: 3 });
    for (const page of ['1', '0', '-2', '1.5', 'x', undefined]) expect(pageSearch({ page })).toEqual({});
  });
});

describe('transactionsSearch', () => {
  it('keeps kinds and days', () => {
    const search = { kind: ['TOP_UP', 'REFUND'], from: '2026-02-28', to: '2026-03-01', page: '2' };
    expect(transactionsSearch(search)).toEqual({ ...search, page: 2 });
  });

  it('accepts one kind, a repeated kind, and none', () => {
    expect(transactionsSearch({ kind: 'TRIAL' })).toEqual({ kind: ['TRIAL'] });
    expect(transactionsSearch({ kind: ['TRIAL', 'TRIAL'] })).toEqual({ kind: ['TRIAL'] });
    expect(transactionsSearch({ kind: '' })).toEqual({});
  });

  it('omits invalid days', () => {
    for (const from of ['2026-02-30', '2026-13-01', 'yesterday', '20260101', '', 2026])
      expect(transactionsSearch({ from })).toEqual({});
  });
});

describe('text parameters', () => {
  it('keep digits as text', () => {
    expect(referralSearch({ rc: 12345 })).toEqual({ rc: '12345' });
    expect(referralSearch({ rc: '0012345' })).toEqual({ rc: '0012345' });
  });

  it('treat an empty one as missing', () => {
    expect(codeSearch({ code: '' })).toEqual({});
    expect(codeSearch({})).toEqual({});
  });
});

describe('catalogueSearch', () => {
  it('keeps the filter and the proxy whose purchase is open, and drops invalid ids', () => {
    const proxy = '0b9d3a52-8f0c-4b4e-9a33-2f3a0d1c4e5f';
    expect(catalogueSearch({ country: 'DE', proxy })).toEqual({ country: ['DE'], proxy });
    expect(catalogueSearch({ proxy: '<script>' })).toEqual({});
  });
});

describe('proxySearch', () => {
  it('accepts each group of the filter, with one value or many', () => {
    const all = Object.fromEntries(filterGroups.map((group) => [group, ['a', 'b']]));
    expect(proxySearch(all)).toEqual(all);
    expect(proxySearch({ city: 'Berlin', zip: 10_115 })).toEqual({ city: ['Berlin'], zip: ['10115'] });
  });

  it('omits what the API would refuse', () => {
    expect(proxySearch({ city: ['', 'Bonn', 'Bonn', { x: 1 }], isp: 'x'.repeat(121), colour: 'red' })).toEqual({
      city: ['Bonn'],
    });
    const many = Array.from({ length: 120 }, (_, index) => `zip ${index}`);
    expect(proxySearch({ zip: many }).zip).toHaveLength(100);
  });
});

describe('creatingSearch', () => {
  it('keeps the open dialog and the page', () => {
    expect(creatingSearch({ page: '2', create: 'true' })).toEqual({ page: 2, create: true });
    expect(creatingSearch({ create: true })).toEqual({ create: true });
    expect(creatingSearch({ create: 'yes' })).toEqual({});
  });
});

describe('open dialogs', () => {
  const id = '0192f7a0-1111-4222-8333-444455556666';

  it('are kept together with the page', () => {
    expect(invoicesSearch({ page: '2', invoice: id })).toEqual({ page: 2, invoice: id });
    expect(connectionsSearch({ connection: id })).toEqual({ connection: id });
  });

  it('are closed without a valid id', () => {
    expect(invoicesSearch({ invoice: 'newest' })).toEqual({});
    expect(connectionsSearch({ connection: ['x', id] })).toEqual({});
  });
});

describe('usageSearch', () => {
  it('keeps a range that exists, and the connection', () => {
    const connection = '0192f7a0-1111-4222-8333-444455556666';
    expect(usageSearch({ range: 'month', connection })).toEqual({ range: 'month', connection });
    const own = { from: '2026-11-01', to: '2026-11-21' };
    expect(usageSearch({ ...own, range: 'day' })).toEqual(own);
    const longest = { from: '2025-01-01', to: '2026-01-01' };
    expect(usageSearch(longest)).toEqual(longest);
  });

  it('keeps the order of the connections, unless it is the default', () => {
    expect(usageSearch({ sort: '-trafficUsed' })).toEqual({ sort: '-trafficUsed' });
    for (const sort of ['-spent', 'ip', '', ['spent']]) expect(usageSearch({ sort })).toEqual({});
  });

  it('falls back to the last days', () => {
    const invalid = [
      { range: 'week' },
      { range: 'century' },
      { from: '2026-11-01' },
      { from: '2026-02-30', to: '2026-03-01' },
      { from: '2026-11-02', to: '2026-11-01' },
      { from: '2025-01-01', to: '2026-01-02' },
      { from: '0001-01-01', to: '0001-01-05' },
      { from: '9999-12-31', to: '9999-12-31' },
      { connection: "' or 1=1" },
    ];
    for (const search of invalid) expect(usageSearch(search)).toEqual({});
  });
});

describe('staffTicketsSearch', () => {
  it('keeps what the API accepts, and omits defaults', () => {
    const search = { view: 'open', words: 'no signal', from: '2026-11-01', days: '7', create: true };
    expect(staffTicketsSearch(search)).toEqual(search);
    expect(staffTicketsSearch({ view: 'waiting', days: '30' })).toEqual({});
    expect(staffTicketsSearch({ status: 'CLOSED' })).toEqual({ view: 'all', status: 'CLOSED' });
  });

  it('omits invalid values, and the status of views that have open tickets only', () => {
    for (const search of [{ view: 'best' }, { words: '%%' }, { words: 'x'.repeat(101) }, { userId: '1' }, { days: 31 }])
      expect(staffTicketsSearch(search)).toEqual({});
    expect(staffTicketsSearch({ view: 'mine', status: 'CLOSED' })).toEqual({ view: 'mine' });
    expect(staffTicketsSearch({ words: 1000 })).toEqual({ words: '1000' });
  });
});

describe('staffTicketSearch', () => {
  it('keeps the pages of messages and of notes', () => {
    expect(staffTicketSearch({ page: '2', notes: '3' })).toEqual({ page: 2, notes: 3 });
    expect(staffTicketSearch({ page: 1, notes: 'x' })).toEqual({});
  });
});
