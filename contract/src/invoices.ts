import { z } from 'zod';
import { endpoint } from './endpoint.ts';
import { INVOICE_DOLLARS_MAX, INVOICE_DOLLARS_MIN } from './limits.ts';
import { data, dateSchema, dollarsSchema, dollarsWithin, idSchema, paged, pageQuery } from './schemas.ts';
import { currencies } from './invoices.plain.ts';

export { currencies, type Currency } from './invoices.plain.ts';

export const invoiceStatuses = ['PENDING', 'CONFIRMING', 'PARTIALLY_PAID', 'PAID', 'OVERPAID', 'EXPIRED'] as const;
export type InvoiceStatus = (typeof invoiceStatuses)[number];

/** A decimal string with the currency's own number of decimals; never a float. */
export const currencyAmountSchema = z
  .string()
  .max(60)
  .regex(/^(?:0|[1-9]\d*)(?:\.\d+)?$/);

/** What was paid for an invoice so far. Decimal strings are amounts in its currency. */
export const invoicePaymentSchema = z.object({
  /** The total of all payments, credited or not. */
  received: z.string(),
  /** The part that the network has not confirmed yet. */
  confirming: z.string(),
  /** How much more is due, rounded to the decimals that the web app shows; null if nothing is missing. */
  missing: z.string().nullable(),
  /** The excess over the amount due; null unless the invoice is overpaid. */
  excess: z.string().nullable(),
  /** US dollars credited to the balance. */
  credited: dollarsSchema,
  /** Some of it arrived after the invoice had ended, when its rate was no longer guaranteed. */
  isLate: z.boolean(),
});
export type InvoicePayment = z.infer<typeof invoicePaymentSchema>;

export const invoiceSchema = z.object({
  id: idSchema,
  amount: dollarsSchema,
  amountInCurrency: z.string(),
  currency: z.enum(currencies),
  address: z.string(),
  status: z.enum(invoiceStatuses),
  /** True if the invoice is on the sandbox chain and payments can be simulated. */
  isSandbox: z.boolean(),
  /** Null until the first payment. */
  payment: invoicePaymentSchema.nullable(),
  expiredAt: dateSchema,
  createdAt: dateSchema,
});
export type Invoice = z.infer<typeof invoiceSchema>;

export const createInvoiceBody = z.strictObject({
  currency: z.enum(currencies),
  amount: dollarsWithin(INVOICE_DOLLARS_MIN, INVOICE_DOLLARS_MAX),
});
export type CreateInvoiceBody = z.infer<typeof createInvoiceBody>;

export const createInvoice = endpoint({
  method: 'POST',
  url: '/v1/payments/invoices',
  access: 'user',
  summary: 'Create an invoice; an open one in the same currency ends as EXPIRED',
  body: createInvoiceBody,
  response: data(invoiceSchema),
  status: 201,
  errors: ['RATE_UNAVAILABLE', 'CURRENCY_UNAVAILABLE'],
});

export const listInvoices = endpoint({
  method: 'GET',
  url: '/v1/payments/invoices',
  access: 'user',
  summary: "The user's invoices, newest first",
  query: z.strictObject(pageQuery),
  response: paged(invoiceSchema),
});
