import { expect, it } from 'vitest';
import { currencyTicker, withTicker } from './ticker.ts';

it('is the same for a coin in all networks', () => {
  expect(currencyTicker('BTC')).toBe('BTC');
  expect(currencyTicker('USDT_TRC20')).toBe('USDT');
  expect(withTicker({ amountInCurrency: '25.00', currency: 'USDT_TON' })).toBe('25.00 USDT');
});
