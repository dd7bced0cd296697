import { z } from 'zod';
import { dollarsSchema } from './fields.ts';
import { currencies } from './invoices.plain.ts';
import { INVOICE_DOLLARS_MAX, INVOICE_DOLLARS_MIN } from './limits.ts';

export const createInvoiceBody = z.strictObject({
  currency: z.enum(currencies),
  amount: dollarsSchema.min(INVOICE_DOLLARS_MIN).max(INVOICE_DOLLARS_MAX),
});
export type CreateInvoiceBody = z.infer<typeof createInvoiceBody>;
