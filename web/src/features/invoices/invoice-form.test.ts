import i18next from 'i18next';
import { expect, it } from 'vitest';
import { formErrorMap } from '../../data/form-errors.ts';
import { invoiceForm, isInvoiceDraft } from './invoice-form.ts';

it('accepts amounts as typed', () => {
  for (const [typed, amount] of [
    ['12', 12],
    ['12.', 12],
    ['12.50', 12.5],
    ['12.55', 12.55],
    ['1,000', 1000],
  ])
    expect(invoiceForm.parse({ amount: typed, currency: 'BTC' })).toEqual({ amount, currency: 'BTC' });
});

it('parses them in the current language of the user', async () => {
  await i18next.changeLanguage('ru');
  expect(invoiceForm.parse({ amount: '1 000,5', currency: 'BTC' }).amount).toBe(1000.5);
  await i18next.changeLanguage('en');
  expect(invoiceForm.safeParse({ amount: '1 000,5', currency: 'BTC' }).success).toBe(false);
});

it('has a reason for each refused amount', () => {
  for (const [typed, message] of [
    [undefined, 'required'],
    ['', 'required'],
    [' ', 'required'],
    ['4.90', 'minimum:5'],
    ['1,000,000', 'maximum:100000'],
    ['42,50', 'amount'],
    ['ten', 'amount'],
  ]) {
    const { error } = invoiceForm.safeParse({ amount: typed, currency: 'BTC' }, { error: formErrorMap });
    expect(error?.issues.map((issue) => issue.message)).toEqual([message]);
  }
});

it('refuses a huge amount as too large', () => {
  const { error } = invoiceForm.safeParse({ amount: '99999999999', currency: 'BTC' }, { error: formErrorMap });
  expect(error?.issues[0]?.message).toBe('maximum:100000');
});

it('restores only what was typed', () => {
  expect([{}, { amount: '12.50' }, { amount: '7', currency: 'LTC' }].every(isInvoiceDraft)).toBe(true);
  expect([null, 7, { amount: {} }, { amount: 7 }, { currency: 'DOGE' }].some(isInvoiceDraft)).toBe(false);
});
