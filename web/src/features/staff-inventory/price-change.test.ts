import i18next from 'i18next';
import { expect, test } from 'vitest';
import { customerPriceWords, priceChangeWords, toPriceChange } from './price-change.ts';

test.each([
  ['price', '0.8', { price: 0.8 }],
  ['price', ' 0.1234 ', { price: 0.1234 }],
  ['price', '1,234', { price: 1234 }],
  ['price', '0,8', undefined],
  ['price', '10,001', undefined],
  ['price', '0', undefined],
  ['price', '0.12345', undefined],
  ['price', '-1', undefined],
  ['price', 'cheap', undefined],
  ['percent', '-10', { percent: -10 }],
  ['percent', '+2.5', { percent: 2.5 }],
  ['percent', '-91', undefined],
  ['percent', '0', undefined],
  ['percent', '10%', { percent: 10 }],
  ['percent', '-2.5 %', { percent: -2.5 }],
  ['percent', '-95 %', undefined],
  ['price', '7 $', { price: 7 }],
  ['price', '1e3', undefined],
  ['price', '0x10', undefined],
] as const)('%s %j is %j', (kind, text, change) => {
  expect(toPriceChange(kind, text)).toEqual(change);
});

test('a change of prices is repeated in words', () => {
  const selection = { count: 1200, fingerprint: '', lowestPrice: 0.4, highestPrice: 1.5 };
  const t = i18next.getFixedT('en', 'staffInventory');
  expect(priceChangeWords({ percent: 10 }, selection, t)).toBe(
    'You will raise the prices of 1,200 proxies by 10%: from $0.40–$1.50 to $0.44–$1.65 for 100 MB.',
  );
  expect(priceChangeWords({ percent: -2.5 }, { ...selection, count: 1, highestPrice: 0.4 }, t)).toBe(
    'You will lower the price of 1 proxy by 2.5%: from $0.40 to $0.39 for 100 MB.',
  );
  expect(priceChangeWords({ price: 1234 }, selection, t)).toBe(
    'You will set the price of 1,200 proxies to $1,234.00 for 100 MB.',
  );
  expect(priceChangeWords({ price: 1 }, { ...selection, count: 0, lowestPrice: null, highestPrice: null }, t)).toBe(
    undefined,
  );
});

test('the prices in the words have the steps and limits of the API', () => {
  const t = i18next.getFixedT('en', 'staffInventory');
  const words = (price: number, percent: number) =>
    priceChangeWords({ percent }, { count: 2, fingerprint: '', lowestPrice: price, highestPrice: price }, t);
  expect(words(0.0001, -90)).toContain('to $0.0001 ');
  expect(words(0.3333, 1)).toContain('to $0.3366 ');
  expect(words(9000, 1000)).toContain('to $10,000.00 ');
});

test('a change of prices is shown as customers see it: for the first 50 MB', () => {
  const t = i18next.getFixedT('en', 'staffInventory');
  const selection = { count: 2, fingerprint: '', lowestPrice: 0.4, highestPrice: 1.5 };
  expect(customerPriceWords({ percent: 10 }, selection, t)).toBe(
    'Customers will see $0.22–$0.825 for the first 50 MB. Now they see $0.20–$0.75.',
  );
  expect(customerPriceWords({ price: 1 }, selection, t)).toBe(
    'Customers will see $0.50 for the first 50 MB. Now they see $0.20–$0.75.',
  );
  expect(customerPriceWords({ price: 1 }, { ...selection, lowestPrice: null, highestPrice: null }, t)).toBeUndefined();
});
