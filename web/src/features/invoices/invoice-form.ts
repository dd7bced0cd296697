import { createInvoiceBody } from '@cellhop/contract/invoices.forms';
import { currencies } from '@cellhop/contract/invoices.values';
import type { z } from 'zod';
import { numberText } from '../../format/number-text.ts';

/** The amount is a text in the notation of the user's language, and stays as typed. */
export const invoiceForm = createInvoiceBody.extend({
  amount: numberText('money', createInvoiceBody.shape.amount),
});
export type InvoiceForm = z.input<typeof invoiceForm>;

export function isInvoiceDraft(value: unknown): value is Partial<InvoiceForm> {
  if (typeof value !== 'object' || value === null) return false;
  const { amount, currency } = value as Record<string, unknown>;
  return (
    (amount === undefined || typeof amount === 'string') &&
    (currency === undefined || currencies.some((each) => each === currency))
  );
}
