import { expect, test } from 'vitest';
import { isEmpty, readCountries, toFilter, toTexts } from './choice.ts';

test('the texts of the fields convert to a filter, and back', () => {
  const texts = { ip: ' 192.0.2 ', country: 'de, FR,,de', isp: 'Telekom', node: 'paris', state: 'SOLD' };
  const filter = { ip: '192.0.2', country: ['DE', 'FR'], isp: ['Telekom'], node: 'paris', state: 'SOLD' } as const;
  expect(toFilter(texts)).toEqual(filter);
  expect(toTexts(toFilter(texts))).toEqual({ ...texts, ip: '192.0.2', country: 'DE, FR' });
  expect(isEmpty(toFilter(texts))).toBe(false);
});

test('empty fields and unknown states filter nothing', () => {
  expect(toFilter({ ip: ' ', country: ' , ', isp: '', node: '', state: 'LOST' })).toEqual({});
  expect(isEmpty({ ip: undefined })).toBe(true);
});

test('codes of no country are unknown, unless they are in the applied filter', () => {
  expect(readCountries('de, uk,EU')).toEqual({ codes: ['DE', 'UK', 'EU'], unknown: ['UK', 'EU'] });
  expect(readCountries('de, uk', ['UK'])).toEqual({ codes: ['DE', 'UK'], unknown: [] });
});
