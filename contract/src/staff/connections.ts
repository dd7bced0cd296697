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
import { BULK_CONNECTIONS_MAX, EXPORT_ROWS_MAX, STAFF_AMOUNT_DOLLARS_MAX } from '../limits.ts';
import { staffRequestSchema } from './approvals.ts';
import { connectionSorts } from './lists.values.ts';

/** Staff never see passwords, links that change addresses, nor the labels of customers. */
export const staffConnectionSchema = connectionSchema
  .omit({ password: true, label: true, rotation: true })
  .extend({ user: z.object({ id: idSchema, email: z.string() }) });
export type StaffConnection = z.infer<typeof staffConnectionSchema>;

const connectionsFilter = {
  id: idSchema.optional(),
  userId: idSchema.optional(),
  status: z.enum(connectionStatuses).optional(),
  /** The name of the gateway that carries it. */
  node: z.string().min(1).max(60).optional(),
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
};
// Without an address, all connections would be compared with the time.
const hasAddress = ({ ip, at }: { ip?: string | undefined; at?: string | undefined }) =>
  at === undefined || ip !== undefined;
const addressNeeded = { message: 'needs ip', path: ['at'] };

export const listAllConnections = endpoint({
  method: 'GET',
  url: '/v1/proxies/connections/admin',
  access: { permission: 'CONNECTIONS_READ' },
  summary: 'Connections of all users or of one, newest first',
  query: z
    .strictObject({ ...listQuery, ...connectionsFilter, sort: z.enum(connectionSorts).default('-createdAt') })
    .refine(hasAddress, addressNeeded),
  response: listed(staffConnectionSchema),
});

export const exportAllConnections = endpoint({
  method: 'GET',
  url: '/v1/proxies/connections/admin/export',
  access: { permission: 'CONNECTIONS_READ' },
  summary: `The connections that match all given filters as a CSV file, newest first; at most ${EXPORT_ROWS_MAX}`,
  query: z.strictObject(connectionsFilter).refine(hasAddress, addressNeeded),
  response: z.string(),
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

export const endConnectionsBody = z.strictObject({
  ids: z.array(idSchema).min(1).max(BULK_CONNECTIONS_MAX),
  reason: reasonSchema.optional(),
});
export type EndConnectionsBody = z.infer<typeof endConnectionsBody>;

const endedConnectionSchema = z.object({
  id: idSchema,
  /** UNCHANGED: it had ended before, or does not exist. */
  outcome: z.enum(['ENDED', 'UNCHANGED']),
});
export type EndedConnection = z.infer<typeof endedConnectionSchema>;

export const endSeveralConnections = endpoint({
  method: 'POST',
  url: '/v1/proxies/connections/admin/disconnect',
  access: { permission: 'CONNECTIONS_EDIT' },
  summary: "End several customers' connections as DISCONNECT_ADMIN; a repeated request changes nothing",
  body: endConnectionsBody,
  response: data(z.array(endedConnectionSchema)),
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
