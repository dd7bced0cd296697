import i18next from 'i18next';
import { expect, it } from 'vitest';
import { settlementWords, toSettledAmount } from './settlement.ts';

it.each([
  ['USD', '25', { amount: 25 }],
  ['USD', '1,234', { amount: 1234 }],
  ['USD', '12,5', undefined],
  ['USD', '-5', undefined],
  ['USD', '0', undefined],
  ['CURRENCY', '0.00025', { amountInCurrency: '0.00025' }],
  ['CURRENCY', '1,234.000000000000000001', { amountInCurrency: '1234.000000000000000001' }],
  ['CURRENCY', '0,00025', undefined],
  ['CURRENCY', '0.000', undefined],
  ['CURRENCY', 'x', undefined],
] as const)('%s %j settles %j', (unit, text, settled) => {
  expect(toSettledAmount(unit, text)).toEqual(settled);
});

it('repeats the amount in words, with its worth at the rate of the invoice', () => {
  const t = i18next.getFixedT('en', 'staffMoney');
  const invoice = { currency: 'BTC', rate: '100000', user: { id: '1', email: 'a@example.com' } } as const;
  expect(settlementWords({ amount: 1234 }, invoice, t)).toEqual({
    words: 'You will credit $1,234.00 to a@example.com.',
    action: 'Credit $1,234.00',
  });
  expect(settlementWords({ amountInCurrency: '0.00025' }, invoice, t)).toEqual({
    words: 'You will credit 0.00025 BTC, about $25.00, to a@example.com.',
    action: 'Credit 0.00025 BTC',
  });
});
