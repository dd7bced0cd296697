/** The statement: every change of a user's balance, with its reason. */
import { z } from 'zod';
import { endpoint } from './endpoint.ts';
import { SUMMARY_DAYS_MAX } from './limits.ts';
import { data, dateInputSchema, dateSchema, dollarsSchema, idSchema, paged, pageQuery, repeated } from './schemas.ts';
import { transactionKinds } from './transactions.values.ts';

const DAY_MS = 86_400_000;

export const transactionSchema = z.object({
  /** The transfer's number in the ledger; grows with time. */
  id: z.string(),
  createdAt: dateSchema,
  kind: z.enum(transactionKinds),
  /** US dollars; negative for what the user paid. */
  amount: dollarsSchema,
  /** US dollars, after this change. */
  balanceAfter: dollarsSchema,
  /** The related object; `label` identifies it to people: the proxy's IP, the code of the invoice's currency, a masked email. */
  subject: z
    .object({ kind: z.enum(['CONNECTION', 'INVOICE', 'PROMO_CODE', 'REFERRAL']), id: idSchema, label: z.string() })
    .nullable(),
  /** The number of the receipt of a top-up. */
  receipt: z.int().positive().nullable(),
});
export type Transaction = z.infer<typeof transactionSchema>;

export const transactionFilter = {
  kind: repeated(z.enum(transactionKinds), transactionKinds.length),
  /** Inclusive. */
  from: dateInputSchema.optional(),
  /** Exclusive. */
  to: dateInputSchema.optional(),
};

export const listTransactions = endpoint({
  method: 'GET',
  url: '/v1/transactions',
  access: 'user',
  summary: "Changes of the user's balance, newest first",
  query: z.strictObject({ ...pageQuery, ...transactionFilter }),
  response: paged(transactionSchema),
});

/** Returns a file, not JSON: the typed client returns its text. */
export const exportTransactions = endpoint({
  method: 'GET',
  url: '/v1/transactions/export',
  access: 'user',
  summary: "Changes of the user's balance as CSV (RFC 4180), newest first",
  query: z.strictObject(transactionFilter),
  response: z.string(),
  isExport: true,
});

export const transactionSummarySchema = z.object({
  /** US dollars, before the first and after the last transaction of the range. */
  openingBalance: dollarsSchema,
  closingBalance: dollarsSchema,
  /** Kinds that occurred; the amounts are signed as in the list. */
  kinds: z.array(z.object({ kind: z.enum(transactionKinds), count: z.int().positive(), amount: dollarsSchema })),
});
export type TransactionSummary = z.infer<typeof transactionSummarySchema>;

export const summarizeTransactions = endpoint({
  method: 'GET',
  url: '/v1/transactions/summary',
  access: 'user',
  summary: `Sums by kind and both balances of a range of at most ${SUMMARY_DAYS_MAX} days, such as a month`,
  query: z
    .strictObject({ from: dateInputSchema, to: dateInputSchema })
    .refine(({ from, to }) => from < to, { path: ['to'], message: 'must be after from' })
    .refine(({ from, to }) => Date.parse(to) - Date.parse(from) <= SUMMARY_DAYS_MAX * DAY_MS, {
      path: ['to'],
      message: `must be at most ${SUMMARY_DAYS_MAX} days after from`,
    }),
  response: data(transactionSummarySchema),
});

/** The last run of the check that all balances add up. */
export const reconciliationSchema = z.object({
  status: z.enum(['OK', 'BROKEN', 'NEVER_RUN']),
  checkedAt: dateSchema.nullable(),
  durationMs: z.number().nonnegative().nullable(),
  /** Each a sentence; the first 100. */
  violations: z.array(z.string()),
  violationCount: z.int().nonnegative(),
});
export type Reconciliation = z.infer<typeof reconciliationSchema>;

export const getReconciliation = endpoint({
  method: 'GET',
  url: '/v1/transactions/admin/reconciliation',
  access: { permission: 'TRANSACTIONS_READ' },
  summary: 'Whether all balances added up at the last check',
  response: data(reconciliationSchema),
});
