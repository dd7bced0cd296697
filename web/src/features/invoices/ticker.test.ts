import i18next from 'i18next';
import { expect, it } from 'vitest';
import { withTicker } from './ticker.ts';

it('has the decimal mark of the dollars beside it', async () => {
  await i18next.changeLanguage('ru');
  await i18next.changeLanguage('ru');
  expect(withTicker({ amountInCurrency: '1007.50', currency: 'USDT_TON' })).toBe('1\u00A0007,50 USDT');
});
