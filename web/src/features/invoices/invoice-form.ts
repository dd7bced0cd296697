import { createInvoiceBody } from '@cellhop/contract/invoices.forms';
import { currencies } from '@cellhop/contract/invoices.values';
import { z } from 'zod';
import { parseAmount } from '../../format/amount.ts';

/** The amount is a text in the notation of the user's language, and stays as typed. */
export const invoiceForm = createInvoiceBody.extend({
  amount: z
    .string()
    .transform((text, context) => {
      const amount = parseAmount(text);
      if (amount !== undefined) return amount;
      context.issues.push({ code: 'custom', message: text.trim() === '' ? 'required' : 'amount', input: text });
      return z.NEVER;
    })
    .pipe(createInvoiceBody.shape.amount),
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
