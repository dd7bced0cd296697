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
};
const whole: InvoicePayment = { ...short, received: '0.00025000', missing: null, credited: 25 };
const amountInCurrency = '0.00025000';

describe('amountToSend', () => {
  it('is the amount of the invoice, then what is missing', () => {
    expect(amountToSend({ status: 'PENDING', amountInCurrency, payment: null }, true)).toBe('0.00025000');
    for (const status of ['PARTIALLY_PAID', 'CONFIRMING'] as const)
      expect(amountToSend({ status, amountInCurrency, payment: short }, true)).toBe('0.00015000');
  });

  it('is nothing once all was seen, and once the time is over', () => {
    expect(amountToSend({ status: 'CONFIRMING', amountInCurrency, payment: whole }, true)).toBeUndefined();
    expect(amountToSend({ status: 'PAID', amountInCurrency, payment: whole }, true)).toBeUndefined();
    expect(amountToSend({ status: 'PENDING', amountInCurrency, payment: null }, false)).toBeUndefined();
    expect(amountToSend({ status: 'PARTIALLY_PAID', amountInCurrency, payment: short }, false)).toBeUndefined();
  });
});

describe('shownStatus', () => {
  it('expires an invoice that nothing came for at the second, and no other', () => {
    expect(shownStatus({ status: 'PENDING' }, true)).toBe('PENDING');
    expect(shownStatus({ status: 'PENDING' }, false)).toBe('EXPIRED');
    expect(shownStatus({ status: 'CONFIRMING' }, false)).toBe('CONFIRMING');
  });
});

describe('receivedPercent', () => {
  it('can be seen when little came, and never leaves its frame', () => {
    expect(receivedPercent({ amountInCurrency, payment: short })).toBe(40);
    expect(receivedPercent({ amountInCurrency, payment: { ...short, received: '0.00000001' } })).toBe(1);
    expect(receivedPercent({ amountInCurrency, payment: { ...whole, received: '1.00000000' } })).toBe(100);
  });
});
