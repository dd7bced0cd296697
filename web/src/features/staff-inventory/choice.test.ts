import { expect, test } from 'vitest';
import { isEmpty, toFilter, toPriceChange, toTexts } from './choice.ts';

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

test.each([
  ['price', '0.8', { price: 0.8 }],
  ['price', ' 0,1234 ', { price: 0.1234 }],
  ['price', '0', undefined],
  ['price', '0.12345', undefined],
  ['price', '-1', undefined],
  ['price', 'cheap', undefined],
  ['percent', '-10', { percent: -10 }],
  ['percent', '+2,5', { percent: 2.5 }],
  ['percent', '0', undefined],
  ['percent', '10%', undefined],
] as const)('%s %j is %j', (kind, text, change) => {
  expect(toPriceChange(kind, text)).toEqual(change);
});
