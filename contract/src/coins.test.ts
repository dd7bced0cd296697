import { expect, it } from 'vitest';
import { currencyTicker, feeCoin, listCoins } from './coins.ts';

it('has one ticker for a coin in all networks', () => {
  expect(currencyTicker('BTC')).toBe('BTC');
  expect(currencyTicker('USDT_TRC20')).toBe('USDT');
});

it('lists each coin once, Toncoin by its new name', () => {
  expect(listCoins(['BTC', 'TON', 'USDT_TRC20', 'USDT_BSC'], 'en')).toBe('BTC, Gram (Toncoin), and USDT');
  expect(listCoins(['BTC', 'TON', 'USDT_TON'], 'ru')).toBe('BTC, Gram (Toncoin) и USDT');
  expect(listCoins(['LTC'], 'en')).toBe('LTC');
  expect(feeCoin('USDT_TON')).toBe('Gram (Toncoin)');
});
