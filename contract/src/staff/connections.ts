import { z } from 'zod';
import { connectionSchema, connectionStatuses } from '../connections.ts';
import { endpoint } from '../endpoint.ts';
import { chargeSchema } from '../receipts.ts';
import {
  addressSchema,
  data,
  dateInputSchema,
  dollarsSchema,
  idParams,
  idSchema,
  listQuery,
  listed,
  paged,
  pageQuery,
  reasonSchema,
} from '../schemas.ts';
import { STAFF_AMOUNT_DOLLARS_MAX } from '../limits.ts';
import { staffRequestSchema } from './approvals.ts';
import { connectionSorts } from './lists.values.ts';

/** Staff never see passwords, nor the labels of customers. */
export const staffConnectionSchema = connectionSchema
  .omit({ password: true, label: true })
  .extend({ user: z.object({ id: idSchema, email: z.string() }) });
export type StaffConnection = z.infer<typeof staffConnectionSchema>;

const connectionsQuery = z
  .strictObject({
    ...listQuery,
    id: idSchema.optional(),
    userId: idSchema.optional(),
    status: z.enum(connectionStatuses).optional(),
    /** The exit IP of the proxy. */
    ip: addressSchema.optional(),
    /** With `ip`: those that had the address at this time. */
    at: dateInputSchema.optional(),
    /** Open connections that a client with this address has used with the password. */
    client: addressSchema.optional(),
    /** When it was bought. Inclusive. */
    createdFrom: dateInputSchema.optional(),
    /** Exclusive. */
    createdTo: dateInputSchema.optional(),
    sort: z.enum(connectionSorts).default('-createdAt'),
  })
  // Without an address, all connections would be compared with the time.
  .refine(({ ip, at }) => at === undefined || ip !== undefined, { message: 'needs ip', path: ['at'] });

export const listAllConnections = endpoint({
  method: 'GET',
  url: '/v1/proxies/connections/admin',
  access: { permission: 'CONNECTIONS_READ' },
  summary: 'Connections of all users or of one, newest first',
  query: connectionsQuery,
  response: listed(staffConnectionSchema),
});

export const listAnyCharges = endpoint({
  method: 'GET',
  url: '/v1/proxies/connections/admin/{id}/charges',
  access: { permission: 'CONNECTIONS_READ' },
  summary: "The charges of any user's connection, newest first",
  params: idParams,
  query: z.strictObject(pageQuery),
  response: paged(chargeSchema),
  errors: ['NOT_FOUND'],
});

export const endAnyConnection = endpoint({
  method: 'POST',
  url: '/v1/proxies/connections/admin/{id}/disconnect',
  access: { permission: 'CONNECTIONS_EDIT' },
  summary: "End a customer's connection as DISCONNECT_ADMIN",
  params: idParams,
  body: z.strictObject({ reason: reasonSchema.optional() }).nullish(),
  response: data(staffConnectionSchema),
  errors: ['NOT_FOUND', 'NOT_CONNECTED'],
});

export const refundConnectionBody = z.strictObject({
  /** US dollars, at most what the connection cost. */
  amount: dollarsSchema.positive().max(STAFF_AMOUNT_DOLLARS_MAX),
  reason: reasonSchema,
});
export type RefundConnectionBody = z.infer<typeof refundConnectionBody>;

export const refundConnection = endpoint({
  method: 'POST',
  url: '/v1/proxies/connections/admin/{id}/refund',
  access: { permission: 'TRANSACTIONS_WRITE' },
  summary: 'Give back what a connection cost, or a part of it, or ask for approval above the limit',
  params: idParams,
  body: refundConnectionBody,
  response: data(staffRequestSchema),
  status: 201,
  errors: ['NOT_FOUND', 'REFUND_TOO_LARGE', 'ACCOUNT_DELETED', 'IDEMPOTENCY_KEY_REUSED'],
});
