import { createInvoiceBody, currencies } from '@cellhop/contract/invoices';
import { z } from 'zod';

/** The field gives a text while the amount is not a number's usual form yet: "12." and "12.50". */
export const invoiceForm = createInvoiceBody.extend({
  amount: z.union([z.number(), z.string()]).transform(Number).pipe(createInvoiceBody.shape.amount),
});
export type InvoiceForm = z.input<typeof invoiceForm>;

export function isInvoiceDraft(value: unknown): value is Partial<InvoiceForm> {
  if (typeof value !== 'object' || value === null) return false;
  const { amount, currency } = value as Record<string, unknown>;
  return (
    (amount === undefined || typeof amount === 'number' || typeof amount === 'string') &&
    (currency === undefined || currencies.some((each) => each === currency))
  );
}
