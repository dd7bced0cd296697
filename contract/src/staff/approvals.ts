/** Changes of money that staff ask for, and the decisions of a second member of staff. */
import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import { currencies } from '../invoices.plain.ts';
import { data, dateSchema, dollarsSchema, idParams, idSchema, listQuery, listed, reasonSchema } from '../schemas.ts';
import { requestStatuses } from './approvals.plain.ts';

export { requestStatuses, type RequestStatus } from './approvals.plain.ts';

/** A user as staff see them in a list. */
export const namedUserSchema = z.object({ id: idSchema, email: z.string() });

export const staffRequestSchema = z.object({
  id: idSchema,
  kind: z.enum(['ADJUSTMENT', 'SETTLEMENT']),
  /** APPLIED: it needed no approval. LAPSED: nobody decided in time. */
  status: z.enum(requestStatuses),
  /** The customer. */
  user: namedUserSchema,
  /** Of a settlement. */
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
  /** Of all customers and pages. */
  pendingCount: z.int().nonnegative(),
});
const approval = z.strictObject({ reason: reasonSchema.optional() }).nullish();
const rejection = z.strictObject({ reason: reasonSchema });

export const listAdjustmentRequests = endpoint({
  method: 'GET',
  url: '/v1/approvals/admin/adjustments',
  access: { permission: 'TRANSACTIONS_READ' },
  summary: 'Adjustments that staff asked for; those that wait come first, then the newest',
  query: requestsQuery,
  response: requestsPage,
});
export const approveAdjustment = endpoint({
  method: 'POST',
  url: '/v1/approvals/admin/adjustments/{id}/approve',
  access: { permission: 'TRANSACTIONS_WRITE' },
  summary: 'Apply an adjustment that somebody else asked for',
  params: idParams,
  body: approval,
  response: data(staffRequestSchema),
  errors: ['NOT_FOUND', 'OWN_REQUEST', 'REQUEST_DECIDED', 'REQUEST_LAPSED', 'SMALL_BALANCE'],
});
export const rejectAdjustment = endpoint({
  method: 'POST',
  url: '/v1/approvals/admin/adjustments/{id}/reject',
  access: { permission: 'TRANSACTIONS_WRITE' },
  summary: 'Reject an adjustment, or withdraw it as its author',
  params: idParams,
  body: rejection,
  response: data(staffRequestSchema),
  errors: ['NOT_FOUND', 'REQUEST_DECIDED', 'REQUEST_LAPSED'],
});

export const listSettlementRequests = endpoint({
  method: 'GET',
  url: '/v1/approvals/admin/settlements',
  access: { permission: 'PAYMENTS_READ' },
  summary: 'Settlements by hand that staff asked for; those that wait come first, then the newest',
  query: requestsQuery,
  response: requestsPage,
});
export const approveSettlement = endpoint({
  method: 'POST',
  url: '/v1/approvals/admin/settlements/{id}/approve',
  access: { permission: 'PAYMENTS_EDIT' },
  summary: 'Settle an invoice as somebody else asked for',
  params: idParams,
  body: approval,
  response: data(staffRequestSchema),
  errors: ['NOT_FOUND', 'OWN_REQUEST', 'REQUEST_DECIDED', 'REQUEST_LAPSED', 'CHANGED_ELSEWHERE'],
});
export const rejectSettlement = endpoint({
  method: 'POST',
  url: '/v1/approvals/admin/settlements/{id}/reject',
  access: { permission: 'PAYMENTS_EDIT' },
  summary: 'Reject a settlement, or withdraw it as its author',
  params: idParams,
  body: rejection,
  response: data(staffRequestSchema),
  errors: ['NOT_FOUND', 'REQUEST_DECIDED', 'REQUEST_LAPSED'],
});
