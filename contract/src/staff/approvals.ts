/** Changes of money that staff request, and the decisions of a second member of staff. */
import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import { currencies } from '../invoices.values.ts';
import { data, dateSchema, dollarsSchema, idParams, idSchema, listQuery, listed, reasonSchema } from '../schemas.ts';
import { requestStatuses } from './lists.values.ts';

/** A user as staff see them in a list. */
export const namedUserSchema = z.object({ id: idSchema, email: z.string() });

export const staffRequestSchema = z.object({
  id: idSchema,
  kind: z.enum(['ADJUSTMENT', 'SETTLEMENT']),
  /** APPLIED: it needed no approval. LAPSED: nobody decided in time. */
  status: z.enum(requestStatuses),
  /** The customer. */
  user: namedUserSchema,
  /** The invoice of a settlement. */
  invoice: z.object({ id: idSchema, currency: z.enum(currencies), amountInCurrency: z.string() }).nullable(),
  /** US dollars; negative takes money from the customer. */
  amount: dollarsSchema,
  reason: z.string(),
  author: namedUserSchema,
  createdAt: dateSchema,
  /** Null if it was applied at once. */
  lapsesAt: dateSchema.nullable(),
  decidedBy: namedUserSchema.nullable(),
  decidedAt: dateSchema.nullable(),
  decisionReason: z.string().nullable(),
});
export type StaffRequest = z.infer<typeof staffRequestSchema>;

const requestsQuery = z.strictObject({
  ...listQuery,
  status: z.enum(requestStatuses).optional(),
  userId: idSchema.optional(),
});
const requestsPage = listed(staffRequestSchema).extend({
  /** Pending requests of all customers, on all pages. */
  pendingCount: z.int().nonnegative(),
});

/** Both kinds have the same calls; each needs its own permission. */
const listing = { method: 'GET', query: requestsQuery, response: requestsPage } as const;
const deciding = { method: 'POST', params: idParams, response: data(staffRequestSchema) } as const;
const approving = { ...deciding, body: z.strictObject({ reason: reasonSchema.optional() }).nullish() } as const;
const rejecting = {
  ...deciding,
  body: z.strictObject({ reason: reasonSchema }),
  errors: ['NOT_FOUND', 'REQUEST_DECIDED', 'REQUEST_LAPSED'],
} as const;

export const listAdjustmentRequests = endpoint({
  ...listing,
  url: '/v1/approvals/admin/adjustments',
  access: { permission: 'TRANSACTIONS_READ' },
  summary: 'Adjustments that staff asked for; those that wait come first, then the newest',
});
export const approveAdjustment = endpoint({
  ...approving,
  url: '/v1/approvals/admin/adjustments/{id}/approve',
  access: { permission: 'TRANSACTIONS_WRITE' },
  summary: 'Apply an adjustment that somebody else asked for',
  errors: ['NOT_FOUND', 'OWN_REQUEST', 'REQUEST_DECIDED', 'REQUEST_LAPSED', 'SMALL_BALANCE'],
});
export const rejectAdjustment = endpoint({
  ...rejecting,
  url: '/v1/approvals/admin/adjustments/{id}/reject',
  access: { permission: 'TRANSACTIONS_WRITE' },
  summary: 'Reject an adjustment, or withdraw it as its author',
});

export const listSettlementRequests = endpoint({
  ...listing,
  url: '/v1/approvals/admin/settlements',
  access: { permission: 'PAYMENTS_READ' },
  summary: 'Settlements by hand that staff asked for; those that wait come first, then the newest',
});
export const approveSettlement = endpoint({
  ...approving,
  url: '/v1/approvals/admin/settlements/{id}/approve',
  access: { permission: 'PAYMENTS_EDIT' },
  summary: 'Settle an invoice as somebody else asked for',
  errors: ['NOT_FOUND', 'OWN_REQUEST', 'REQUEST_DECIDED', 'REQUEST_LAPSED', 'CHANGED_ELSEWHERE'],
});
export const rejectSettlement = endpoint({
  ...rejecting,
  url: '/v1/approvals/admin/settlements/{id}/reject',
  access: { permission: 'PAYMENTS_EDIT' },
  summary: 'Reject a settlement, or withdraw it as its author',
});
