import type { ProxyFacets, ProxyFilter } from '@cellhop/contract/proxies';
import { expect, test } from 'vitest';
import { offeredCounts } from './filter-counts.ts';

const filter: ProxyFilter = {
  country: { DE: 3, FR: 2 },
  city: { Berlin: 3, Paris: 2 },
  region: { Berlin: 3, 'Île-de-France': 2 },
  zip: { '10115': 3, '75001': 2 },
  isp: { Telekom: 3, Orange: 2 },
  connectionType: { LTE: 5 },
};
const inGermany: ProxyFacets = {
  counts: {
    country: { DE: 3, FR: 2 },
    city: { Berlin: 3 },
    region: { Berlin: 3 },
    zip: { '10115': 3 },
    isp: { Telekom: 3 },
    connectionType: { LTE: 3 },
  },
  truncated: [],
};

test('offers everything until a choice is counted', () => {
  expect(offeredCounts('city', filter, undefined, [])).toEqual({ Berlin: 3, Paris: 2 });
});

test('offers values that match the choice in the other groups', () => {
  expect(offeredCounts('city', filter, inGermany, [])).toEqual({ Berlin: 3 });
  expect(offeredCounts('country', filter, inGermany, ['DE'])).toEqual({ DE: 3, FR: 2 });
});

test('a chosen value that no longer matches stays, with 0', () => {
  expect(offeredCounts('city', filter, inGermany, ['Paris', 'Berlin'])).toEqual({ Berlin: 3, Paris: 0 });
});

test('a value that is too rare to be counted is offered without a count', () => {
  const truncated: ProxyFacets = { ...inGermany, truncated: ['zip'] };
  expect(offeredCounts('zip', filter, truncated, [])).toEqual({ '10115': 3, '75001': undefined });
});
