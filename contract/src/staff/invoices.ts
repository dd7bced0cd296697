/** Invoices of all users, with details of their payments for staff. */
import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import { emailSchema } from '../auth.forms.ts';
import { currencies, invoiceStatuses } from '../invoices.values.ts';
import { currencyAmountSchema, invoiceSchema, invoiceTransferSchema } from '../invoices.ts';
import { EXPORT_ROWS_MAX, INVOICE_FILTER_DOLLARS_MAX, STAFF_AMOUNT_DOLLARS_MAX } from '../limits.ts';
import {
  data,
  dateInputSchema,
  dateSchema,
  dollarsSchema,
  idParams,
  idSchema,
  listQuery,
  listed,
  numberInUrl,
  reasonSchema,
  repeated,
} from '../schemas.ts';
import { namedUserSchema, staffRequestSchema } from './approvals.ts';
import { invoiceSorts } from './lists.values.ts';

export const staffInvoiceSchema = invoiceSchema.extend({ user: namedUserSchema });
export type StaffInvoice = z.infer<typeof staffInvoiceSchema>;

const invoiceAmountInput = numberInUrl(z.number().min(0).max(INVOICE_FILTER_DOLLARS_MAX));

const invoicesFilter = {
  userId: idSchema.optional(),
  status: repeated(z.enum(invoiceStatuses), invoiceStatuses.length),
  currency: repeated(z.enum(currencies), currencies.length),
  /** The time of creation; inclusive. */
  from: dateInputSchema.optional(),
  /** Exclusive. */
  to: dateInputSchema.optional(),
  /** US dollars, both inclusive. */
  amountMin: invoiceAmountInput.optional(),
  amountMax: invoiceAmountInput.optional(),
};

export const listAllInvoices = endpoint({
  method: 'GET',
  url: '/v1/payments/admin/invoices',
  access: { permission: 'PAYMENTS_READ' },
  summary: 'Invoices of all users or of one, newest first',
  query: z.strictObject({ ...listQuery, ...invoicesFilter, sort: z.enum(invoiceSorts).default('-createdAt') }),
  response: listed(staffInvoiceSchema),
});

export const exportInvoices = endpoint({
  method: 'GET',
  url: '/v1/payments/admin/invoices/export',
  access: { permission: 'PAYMENTS_READ' },
  summary: `The invoices that match all given filters as a CSV file, newest first; at most ${EXPORT_ROWS_MAX}`,
  query: z.strictObject(invoicesFilter),
  response: z.string(),
});

/**
 * LARGE, SOURCES_DISAGREE and SETTLED (by hand, after it had arrived): until the operator releases it. DEPEG: its stablecoin does not trade at one dollar, or its price is unknown;
 * until the peg returns, or until staff choose a rate.
 */
const depositHolds = ['LARGE', 'SOURCES_DISAGREE', 'SETTLED', 'DEPEG'] as const;

export const depositSchema = z.object({
  id: idSchema,
  /** The transaction on the chain; null if staff recorded the deposit. */
  transactionId: z.string().nullable(),
  /** As `explorerUrl` of `invoiceTransferSchema`. */
  explorerUrl: z.url().nullable(),
  /** As `sender` of `invoiceTransferSchema`. */
  sender: invoiceTransferSchema.shape.sender,
  /** The request of staff that recorded it. */
  requestId: idSchema.nullable(),
  amountInCurrency: z.string(),
  /** Why it is not credited; null if nothing holds it. */
  hold: z.enum(depositHolds).nullable(),
  /** US dollars taken back from the customer; null unless it is REVERSED. */
  reversed: dollarsSchema.nullable(),
  state: z.enum(['SEEN', 'INCLUDED', 'FINAL', 'CREDITED', 'ORPHANED', 'REPLACED', 'REVERSED']),
  /** The payment is in no block yet and signals that another transaction may replace it. */
  isReplaceable: z.boolean(),
  /** Another transaction had paid to the same address before, on a chain where each invoice has its own. */
  isAddressReuse: z.boolean(),
  /** Determines the invoice and the rate. */
  arrivedAt: dateSchema,
  /** When a worker first reported it. */
  firstSeenAt: dateSchema,
  /** The time of its block; null while it is in no block. */
  blockAt: dateSchema.nullable(),
  /** US dollars for one coin, as a decimal string, at which it was credited. */
  rate: z.string().nullable(),
  /** US dollars. */
  credited: dollarsSchema.nullable(),
  creditedAt: dateSchema.nullable(),
});
export type Deposit = z.infer<typeof depositSchema>;

export const staffInvoiceDetailSchema = staffInvoiceSchema.extend({
  /** US dollars for one coin, as a decimal string. */
  rate: z.string(),
  derivationIndex: z.int().nonnegative(),
  /** How the operator's wallet names the address: the path below the account, on TON the id of the wallet. */
  walletNumber: z.string(),
  /** US dollars that a settlement without an amount credits. */
  due: dollarsSchema,
  deposits: z.array(depositSchema),
});
export type StaffInvoiceDetail = z.infer<typeof staffInvoiceDetailSchema>;

export const getAnyInvoice = endpoint({
  method: 'GET',
  url: '/v1/payments/admin/invoices/{id}',
  access: { permission: 'PAYMENTS_READ' },
  summary: 'An invoice of any user, with its deposits',
  params: idParams,
  response: data(staffInvoiceDetailSchema),
  errors: ['NOT_FOUND'],
});

export const unassignedPaymentSchema = z.object({
  id: idSchema,
  currency: z.enum(currencies),
  amountInCurrency: z.string(),
  /** Once it is FINAL, its coins are the operator's. */
  state: z.enum(['SEEN', 'INCLUDED', 'FINAL']),
  transactionId: z.string(),
  sender: invoiceTransferSchema.shape.sender,
  address: z.string(),
  /** The deleted account. Null: the address was shown in a time that a restore of the database has lost. */
  userId: idSchema.nullable(),
  arrivedAt: dateSchema,
  /** US dollars that an assignment credits; null if it cannot be assigned, or not yet. Absent before 0.4.0. */
  value: dollarsSchema.nullable().optional(),
});
export type UnassignedPayment = z.infer<typeof unassignedPaymentSchema>;

export const listUnassignedPayments = endpoint({
  method: 'GET',
  url: '/v1/payments/admin/unassigned',
  access: { permission: 'PAYMENTS_READ' },
  summary: 'Payments on a chain to deleted accounts and to lost addresses, newest first; they are not credited',
  query: z.strictObject(listQuery),
  response: listed(unassignedPaymentSchema),
});

export const assignDepositBody = z.strictObject({ email: emailSchema, reason: reasonSchema });
export type AssignDepositBody = z.infer<typeof assignDepositBody>;

export const assignDeposit = endpoint({
  method: 'POST',
  url: '/v1/payments/admin/deposits/{id}/assign',
  access: { permission: 'PAYMENTS_EDIT' },
  summary: 'Give a payment to a lost address to a customer, or ask for approval above the limit',
  params: idParams,
  body: assignDepositBody,
  response: data(staffRequestSchema),
  status: 201,
  errors: ['NOT_FOUND', 'RATE_UNAVAILABLE', 'CHANGED_ELSEWHERE', 'ACCOUNT_DELETED', 'IDEMPOTENCY_KEY_REUSED'],
});

export const suspendedPaymentSchema = z.object({
  id: idSchema,
  currency: z.enum(currencies),
  amountInCurrency: z.string(),
  hold: z.enum(depositHolds),
  transactionId: z.string(),
  sender: invoiceTransferSchema.shape.sender,
  /** Null: it came to the user's address when they had no invoice in this currency. */
  invoiceId: idSchema.nullable(),
  user: namedUserSchema,
  arrivedAt: dateSchema,
  /** Of DEPEG: US dollars for one coin, at most one, as a decimal string, and for all of it. Null if unknown. */
  marketRate: z.string().nullable(),
  marketValue: dollarsSchema.nullable(),
  /** Of DEPEG: US dollars at one dollar for each coin. */
  parValue: dollarsSchema.nullable(),
});
export type SuspendedPayment = z.infer<typeof suspendedPaymentSchema>;

export const listSuspendedPayments = endpoint({
  method: 'GET',
  url: '/v1/payments/admin/held',
  access: { permission: 'PAYMENTS_READ' },
  summary: 'Payments that are final and not credited, because something holds them; the oldest first',
  query: z.strictObject(listQuery),
  response: listed(suspendedPaymentSchema),
});

export const releaseDepositBody = z.strictObject({
  /** MARKET: what the stablecoin is worth now. PAR: one dollar for each; what that creates above MARKET may need approval. */
  rate: z.enum(['MARKET', 'PAR']),
  reason: reasonSchema,
});
export type ReleaseDepositBody = z.infer<typeof releaseDepositBody>;

export const releaseDeposit = endpoint({
  method: 'POST',
  url: '/v1/payments/admin/deposits/{id}/release',
  access: { permission: 'PAYMENTS_EDIT' },
  summary: 'Credit a payment in a stablecoin that does not trade at one dollar, or ask for approval above the limit',
  params: idParams,
  body: releaseDepositBody,
  response: data(
    z.object({
      /** US dollars for one coin at which it is credited within seconds, as a decimal string; null while it waits for approval. */
      rate: z.string().nullable(),
      /** Null: it creates nothing above the market price. */
      request: staffRequestSchema.nullable(),
    }),
  ),
  status: 201,
  errors: ['NOT_FOUND', 'RATE_UNAVAILABLE', 'CHANGED_ELSEWHERE', 'ACCOUNT_DELETED', 'IDEMPOTENCY_KEY_REUSED'],
});
export type ReleasedDeposit = z.infer<(typeof releaseDeposit)['response']>['data'];

export const settleInvoiceBody = z
  .strictObject({
    /** US dollars. */
    amount: dollarsSchema.positive().max(STAFF_AMOUNT_DOLLARS_MAX).optional(),
    /** The same in the currency of the invoice, at its rate. Without both: what is due. */
    amountInCurrency: currencyAmountSchema.optional(),
    /** US dollars that were due when the member of staff saw the invoice. */
    due: dollarsSchema.optional(),
    /** The invoice is paid, and another payment is credited all the same. Without it a paid invoice is refused. */
    isPaidAgain: z.literal(true).optional(),
    reason: reasonSchema,
  })
  .refine(({ amount, amountInCurrency }) => amount === undefined || amountInCurrency === undefined, {
    message: 'has two amounts',
    path: ['amount'],
  });
export type SettleInvoiceBody = z.infer<typeof settleInvoiceBody>;

export const settleInvoice = endpoint({
  method: 'POST',
  url: '/v1/payments/admin/invoices/{id}/settle',
  access: { permission: 'PAYMENTS_EDIT' },
  summary: 'Credit a payment that is not on a chain, or ask for approval above the limit',
  params: idParams,
  body: settleInvoiceBody,
  response: data(staffRequestSchema),
  status: 201,
  errors: [
    'NOT_FOUND',
    'NOTHING_DUE',
    'INVOICE_PAID',
    'CHANGED_ELSEWHERE',
    'ACCOUNT_DELETED',
    'IDEMPOTENCY_KEY_REUSED',
  ],
});
