/** The ledger of one customer for staff, and corrections of the balance. */
import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import { STAFF_AMOUNT_DOLLARS_MAX } from '../limits.ts';
import { data, dollarsSchema, idSchema, listQuery, listed, reasonSchema } from '../schemas.ts';
import { transactionFilter, transactionSchema } from '../transactions.ts';
import { namedUserSchema, staffRequestSchema } from './approvals.ts';

export const staffTransactionSchema = transactionSchema.extend({
  /** Who corrected the balance, and why; customers do not see it. */
  adjustment: z.object({ id: idSchema, reason: z.string(), author: namedUserSchema }).nullable(),
});
export type StaffTransaction = z.infer<typeof staffTransactionSchema>;

export const listUserTransactions = endpoint({
  method: 'GET',
  url: '/v1/transactions/admin',
  access: { permission: 'TRANSACTIONS_READ' },
  summary: "Changes of a user's balance, newest first",
  query: z.strictObject({ ...listQuery, ...transactionFilter, userId: idSchema }),
  response: listed(staffTransactionSchema).extend({
    user: namedUserSchema,
    /** US dollars, holds included. */
    balance: dollarsSchema,
    /** US dollars of the balance that are reserved for traffic. */
    held: dollarsSchema,
  }),
  errors: ['NOT_FOUND'],
});

export const createAdjustmentBody = z.strictObject({
  userId: idSchema,
  /** US dollars; negative takes money from the customer. */
  amount: dollarsSchema
    .min(-STAFF_AMOUNT_DOLLARS_MAX)
    .max(STAFF_AMOUNT_DOLLARS_MAX)
    .refine((amount) => amount !== 0, 'must not be zero'),
  reason: reasonSchema,
});
export type CreateAdjustmentBody = z.infer<typeof createAdjustmentBody>;

export const createAdjustment = endpoint({
  method: 'POST',
  url: '/v1/transactions/admin/adjustments',
  access: { permission: 'TRANSACTIONS_WRITE' },
  summary: "Correct a user's balance, or ask for approval above the limit",
  body: createAdjustmentBody,
  response: data(staffRequestSchema),
  status: 201,
  errors: ['NOT_FOUND', 'SMALL_BALANCE', 'ACCOUNT_DELETED', 'IDEMPOTENCY_KEY_REUSED'],
});
