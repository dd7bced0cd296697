/** Changes of money that staff request, and the decisions of a second member of staff. */
import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import { currencies } from '../invoices.values.ts';
import { APPROVERS_NAMED_MAX } from '../limits.ts';
import { data, dateSchema, dollarsSchema, idParams, idSchema, listQuery, listed, reasonSchema } from '../schemas.ts';
import { requestKinds, requestStatuses } from './lists.values.ts';

/** A user as staff see them in a list. */
export const namedUserSchema = z.object({ id: idSchema, email: z.string() });

export const staffRequestSchema = z.object({
  id: idSchema,
  kind: z.enum(requestKinds),
  /** APPLIED: it needed no approval. LAPSED: it was not decided in time, or its author may not ask for it any more. */
  status: z.enum(requestStatuses),
  /** The customer, or the owner of the promo code. */
  user: namedUserSchema,
  /** The invoice of a settlement. */
  invoice: z.object({ id: idSchema, currency: z.enum(currencies), amountInCurrency: z.string() }).nullable(),
  /** The connection of a refund, with the address of its proxy. */
  connection: z.object({ id: idSchema, ip: z.string() }).nullable(),
  /** The promo code of a request for its credit. */
  promoCode: z
    .object({ id: idSchema, code: z.string(), trialCredit: dollarsSchema, trialCreditsMax: z.int().nullable() })
    .nullable(),
  /** Whether the caller is another person than its author and those who gain by it. */
  isOthers: z.boolean(),
  /** US dollars; negative takes money from the customer. Of a promo code: the most that it can pay. */
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

/** The lists have the same calls; each needs its own permission. */
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
  summary: 'Adjustments and refunds that staff asked for; those that wait come first, then the newest',
});
export const approveAdjustment = endpoint({
  ...approving,
  url: '/v1/approvals/admin/adjustments/{id}/approve',
  access: { permission: 'TRANSACTIONS_WRITE' },
  summary: 'Apply an adjustment or a refund that somebody else asked for',
  errors: [
    'NOT_FOUND',
    'OWN_REQUEST',
    'REQUEST_DECIDED',
    'REQUEST_LAPSED',
    'SMALL_BALANCE',
    'REFUND_TOO_LARGE',
    'ACCOUNT_DELETED',
  ],
});
export const rejectAdjustment = endpoint({
  ...rejecting,
  url: '/v1/approvals/admin/adjustments/{id}/reject',
  access: { permission: 'TRANSACTIONS_WRITE' },
  summary: 'Reject an adjustment or a refund, or withdraw it as its author',
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
  errors: ['NOT_FOUND', 'OWN_REQUEST', 'REQUEST_DECIDED', 'REQUEST_LAPSED', 'CHANGED_ELSEWHERE', 'ACCOUNT_DELETED'],
});
export const rejectSettlement = endpoint({
  ...rejecting,
  url: '/v1/approvals/admin/settlements/{id}/reject',
  access: { permission: 'PAYMENTS_EDIT' },
  summary: 'Reject a settlement, or withdraw it as its author',
});

export const listPromoCodeRequests = endpoint({
  ...listing,
  url: '/v1/approvals/admin/promo-codes',
  access: { permission: 'PROMO_CODES_READ' },
  summary: 'Promo codes with a credit that staff asked for; those that wait come first, then the newest',
});
export const approvePromoCode = endpoint({
  ...approving,
  url: '/v1/approvals/admin/promo-codes/{id}/approve',
  access: { permission: 'PROMO_CODES_WRITE' },
  summary: 'Let customers sign up with a promo code that somebody else asked for',
  errors: ['NOT_FOUND', 'OWN_REQUEST', 'REQUEST_DECIDED', 'REQUEST_LAPSED', 'ACCOUNT_DELETED'],
});
export const rejectPromoCode = endpoint({
  ...rejecting,
  url: '/v1/approvals/admin/promo-codes/{id}/reject',
  access: { permission: 'PROMO_CODES_WRITE' },
  summary: 'Reject a promo code, or withdraw it as its author',
});

/** For the forms of staff: whether an amount will need approval, and by whom. */
const allowing = {
  method: 'GET',
  /** The customer; without one, only the author counts. */
  query: z.strictObject({ userId: idSchema.optional() }),
  response: data(
    z.object({
      /** US dollars that the caller may move now without approval; null: any amount. */
      withoutApproval: dollarsSchema.nullable(),
      /** Who can approve it, the first by email. */
      approvers: z.array(namedUserSchema).max(APPROVERS_NAMED_MAX),
    }),
  ),
} as const;

export const readAdjustmentAllowance = endpoint({
  ...allowing,
  url: '/v1/approvals/admin/adjustments/allowance',
  access: { permission: 'TRANSACTIONS_WRITE' },
  summary: 'What the caller may adjust or refund now without approval, and who could approve more',
});
export const readSettlementAllowance = endpoint({
  ...allowing,
  url: '/v1/approvals/admin/settlements/allowance',
  access: { permission: 'PAYMENTS_EDIT' },
  summary: 'What the caller may settle now without approval, and who could approve more',
});
export const readPromoCodeAllowance = endpoint({
  ...allowing,
  url: '/v1/approvals/admin/promo-codes/allowance',
  access: { permission: 'PROMO_CODES_WRITE' },
  summary: 'What a promo code of the caller may cost now without approval, and who could approve more',
});
