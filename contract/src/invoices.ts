import { z } from 'zod';
import { endpoint } from './endpoint.ts';
import { RECEIPT_NUMBER_MAX } from './limits.ts';
import { createInvoiceBody } from './invoices.forms.ts';
import { data, dateSchema, dollarsSchema, idParams, idSchema, paged, pageQuery } from './schemas.ts';
import { currencies, invoiceStatuses } from './invoices.values.ts';

export { createInvoiceBody, type CreateInvoiceBody } from './invoices.forms.ts';

/** A decimal string with the currency's own number of decimals; never a float. */
export const currencyAmountSchema = z
  .string()
  .max(60)
  .regex(/^(?:0|[1-9]\d*)(?:\.\d+)?$/);

/** A payment that is waiting for confirmations, or is credited. */
export const invoiceTransferSchema = z.object({
  amountInCurrency: z.string(),
  /** The page of a public block explorer; null if staff recorded the payment, if it has no transaction, and in the sandbox. */
  explorerUrl: z.url().nullable(),
  /** The address that sent it; null where the chain does not say. Absent: an API of 0.4.0. */
  sender: z.string().nullable().optional(),
  isCredited: z.boolean(),
  confirmations: z.int().nonnegative(),
  /** Null on chains whose nodes name final blocks: the payment waits for one of these. */
  confirmationsNeeded: z.int().positive().nullable(),
  /** The payment is in no block, and signals that its sender may replace it. */
  isReplaceable: z.boolean(),
  /** It is final, and held because its stablecoin does not trade at one dollar now. */
  waitsForPeg: z.boolean(),
  /** The number of its receipt; null until it is credited. */
  receipt: z.int().positive().nullable(),
});
export type InvoiceTransfer = z.infer<typeof invoiceTransferSchema>;

/** The payments for an invoice until now. Decimal strings are amounts in its currency. */
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
  /** In the order of arrival. */
  transfers: z.array(invoiceTransferSchema),
});
export type InvoicePayment = z.infer<typeof invoicePaymentSchema>;

export const invoiceSchema = z.object({
  id: idSchema,
  amount: dollarsSchema,
  amountInCurrency: z.string(),
  currency: z.enum(currencies),
  /** Empty if the address cannot be verified. */
  address: z.string(),
  /** The contents of a QR code: a URI with the amount that is still due where wallets know it, else the address. */
  paymentUri: z.string(),
  /** A link that opens a wallet with the amount still due; null where it is not safe. */
  walletUri: z.string().nullable(),
  status: z.enum(invoiceStatuses),
  /** True if the invoice is on the sandbox chain and payments can be simulated. */
  isSandbox: z.boolean(),
  /** Null until the first payment. */
  payment: invoicePaymentSchema.nullable(),
  /** Payments that were seen, but then replaced by the sender or dropped by the network; null if none, or if the invoice is fully paid. */
  replaced: z.string().nullable(),
  expiredAt: dateSchema,
  createdAt: dateSchema,
});
export type Invoice = z.infer<typeof invoiceSchema>;

/** Why no new invoice in a currency can be created now: its network is unavailable, or there is no reliable exchange rate. */
export const currencyProblems = ['NETWORK', 'RATE'] as const;

export const currencyStateSchema = z.object({
  currency: z.enum(currencies),
  /** Null if an invoice can be created. */
  problem: z.enum(currencyProblems).nullable(),
  /** US dollars for one coin now, for an estimate; a new invoice has the rate of its moment. Null without a rate. */
  dollarsPerCoin: z.string().nullable(),
});
export type CurrencyState = z.infer<typeof currencyStateSchema>;

export const listCurrencies = endpoint({
  method: 'GET',
  url: '/v1/payments/currencies',
  access: 'user',
  summary: 'The currencies that are set up, and whether new invoices in them can be created now',
  response: data(z.array(currencyStateSchema)),
});

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

export const cancelInvoice = endpoint({
  method: 'POST',
  url: '/v1/payments/invoices/{id}/cancel',
  access: 'user',
  summary:
    'End an unpaid invoice; a payment that is on its way is still credited. An invoice that has ended stays as it is',
  params: idParams,
  response: data(invoiceSchema),
  errors: ['NOT_FOUND', 'INVOICE_PAID'],
});

/** The receipt of one credited payment. */
export const topUpReceiptSchema = z.object({
  /** Without gaps among all receipts of the installation. */
  number: z.int().positive(),
  creditedAt: dateSchema,
  amount: dollarsSchema,
  currency: z.enum(currencies),
  amountInCurrency: z.string(),
  /** US dollars for one coin. */
  rate: z.string(),
  /** Null if staff recorded the payment. */
  transactionId: z.string().nullable(),
  invoiceId: idSchema.nullable(),
  /** When the payment had left its chain and was taken back; null if it was not, or is credited again. */
  reversedAt: dateSchema.nullable(),
});
export type TopUpReceipt = z.infer<typeof topUpReceiptSchema>;

export const getTopUpReceipt = endpoint({
  method: 'GET',
  url: '/v1/payments/receipts/{number}',
  access: 'user',
  summary: "The receipt of one of the user's top-ups",
  params: z.strictObject({ number: z.coerce.number().int().min(1).max(RECEIPT_NUMBER_MAX) }),
  response: data(topUpReceiptSchema),
  errors: ['NOT_FOUND'],
});

export const listInvoices = endpoint({
  method: 'GET',
  url: '/v1/payments/invoices',
  access: 'user',
  summary: "The user's invoices, newest first",
  query: z.strictObject({
    ...pageQuery,
    id: idSchema.optional(),
    /** Leaves out those that ended without a payment. */
    hideExpired: z.literal('true').optional(),
  }),
  response: paged(invoiceSchema),
});
