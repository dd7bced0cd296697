import { expect, it } from 'vitest';
import { tickerOf, withTicker } from './ticker.ts';

it('is the same for a coin in all networks', () => {
  expect(tickerOf('BTC')).toBe('BTC');
  expect(tickerOf('USDT_TRC20')).toBe('USDT');
  expect(withTicker({ amountInCurrency: '25.00', currency: 'USDT_TON' })).toBe('25.00 USDT');
});
