import { expect, it } from 'vitest';
import { formErrorMap } from '../../lib/form-errors.ts';
import { invoiceForm, isInvoiceDraft } from './invoice-form.ts';

it('takes amounts as the field gives them: as numbers, and as texts while cents are typed', () => {
  for (const [typed, amount] of [
    [12, 12],
    ['12.', 12],
    ['12.50', 12.5],
    [12.55, 12.55],
  ])
    expect(invoiceForm.parse({ amount: typed, currency: 'BTC' })).toEqual({ amount, currency: 'BTC' });
});

it('says why an amount is refused', () => {
  for (const [typed, message] of [
    [undefined, 'required'],
    ['4.90', 'minimum:5'],
    [1_000_000, 'maximum:100000'],
  ]) {
    const { error } = invoiceForm.safeParse({ amount: typed, currency: 'BTC' }, { error: formErrorMap });
    expect(error?.issues.map((issue) => issue.message)).toEqual([message]);
  }
});

it('takes up what was typed, and nothing else', () => {
  expect([{}, { amount: '12.50' }, { amount: 7, currency: 'LTC' }].every(isInvoiceDraft)).toBe(true);
  expect([null, 7, { amount: {} }, { currency: 'DOGE' }].some(isInvoiceDraft)).toBe(false);
});
