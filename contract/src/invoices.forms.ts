import { z } from 'zod';
import { dollarsWithin } from './fields.ts';
import { currencies } from './invoices.values.ts';
import { INVOICE_DOLLARS_MAX, INVOICE_DOLLARS_MIN } from './limits.ts';

export const createInvoiceBody = z.strictObject({
  currency: z.enum(currencies),
  amount: dollarsWithin(INVOICE_DOLLARS_MIN, INVOICE_DOLLARS_MAX),
});
export type CreateInvoiceBody = z.infer<typeof createInvoiceBody>;
