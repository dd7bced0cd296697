import type { InvoicePayment } from '@cellhop/contract/invoices';
import { describe, expect, it } from 'vitest';
import { amountToSend, receivedPercent, shownStatus } from './invoice-stage.ts';

const short: InvoicePayment = {
  received: '0.00010000',
  confirming: '0.00000000',
  missing: '0.00015000',
  excess: null,
  credited: 10,
  isLate: false,
  transfers: [],
};
const whole: InvoicePayment = { ...short, received: '0.00025000', missing: null, credited: 25 };
const amountInCurrency = '0.00025000';

describe('amountToSend', () => {
  it('is the amount of the invoice, then the missing amount', () => {
    expect(amountToSend({ status: 'PENDING', amountInCurrency, payment: null }, true)).toBe('0.00025000');
    for (const status of ['PARTIALLY_PAID', 'CONFIRMING'] as const)
      expect(amountToSend({ status, amountInCurrency, payment: short }, true)).toBe('0.00015000');
  });

  it('is undefined once all was received, and once the invoice has expired', () => {
    expect(amountToSend({ status: 'CONFIRMING', amountInCurrency, payment: whole }, true)).toBeUndefined();
    expect(amountToSend({ status: 'PAID', amountInCurrency, payment: whole }, true)).toBeUndefined();
    expect(amountToSend({ status: 'PENDING', amountInCurrency, payment: null }, false)).toBeUndefined();
    expect(amountToSend({ status: 'PARTIALLY_PAID', amountInCurrency, payment: short }, false)).toBeUndefined();
  });
});

describe('shownStatus', () => {
  it('expires only an unpaid invoice, to the second', () => {
    expect(shownStatus({ status: 'PENDING' }, true)).toBe('PENDING');
    expect(shownStatus({ status: 'PENDING' }, false)).toBe('EXPIRED');
    expect(shownStatus({ status: 'CONFIRMING' }, false)).toBe('CONFIRMING');
  });
});

describe('receivedPercent', () => {
  it('is visible for a small payment, and at most 100', () => {
    expect(receivedPercent({ amountInCurrency, payment: short })).toBe(40);
    expect(receivedPercent({ amountInCurrency, payment: { ...short, received: '0.00000001' } })).toBe(1);
    expect(receivedPercent({ amountInCurrency, payment: { ...whole, received: '1.00000000' } })).toBe(100);
  });
});
