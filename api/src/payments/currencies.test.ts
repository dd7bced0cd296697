import { currencies } from '@cellhop/contract/invoices.values';
import { expect, test } from 'vitest';
import { chains, currencyRules, findCurrency } from './currencies.ts';

test('chain and asset identify exactly one currency', () => {
  for (const currency of currencies) {
    const { chain, asset } = currencyRules[currency];
    expect(findCurrency(chain, asset)).toBe(currency);
  }
  expect(findCurrency('bitcoin', 'USDT')).toBeUndefined();
});

test('each chain has a currency', () => {
  expect(new Set(currencies.map((currency) => currencyRules[currency].chain))).toEqual(new Set(chains));
});

test('USDT has 18 decimals on BSC and 6 everywhere else', () => {
  const decimals = currencies
    .filter((currency) => currency.startsWith('USDT'))
    .map((c) => [c, currencyRules[c].decimals]);
  expect(Object.fromEntries(decimals)).toEqual({ USDT_TRC20: 6, USDT_ERC20: 6, USDT_BSC: 18, USDT_TON: 6 });
});
