/** The verifiable receipt of a connection: a hash chain over its charges, signed with the shop's Ed25519 key. */
import { z } from 'zod';
import { connectionStatuses, endReasons } from './connections.ts';
import { endpoint } from './endpoint.ts';
import { data, dateSchema, dollarsSchema, idParams, idSchema, paged, pageQuery } from './schemas.ts';

const byteCountSchema = z.int().nonnegative();
/** SHA-256, lower-case hexadecimal. */
const hashSchema = z.string().regex(/^[0-9a-f]{64}$/);

export const chargeKinds = ['PREPAID_50_MB', 'MEGABYTE', 'REFUND'] as const;
export type ChargeKind = (typeof chargeKinds)[number];

export const chargeSchema = z.object({
  /** From 1, without gaps. */
  number: z.int().positive(),
  chargedAt: dateSchema,
  kind: z.enum(chargeKinds),
  /** The megabytes that this charge pays or refunds, counted from 1, both inclusive. */
  firstMegabyte: z.int().positive(),
  lastMegabyte: z.int().positive(),
  /** The connection's totals at the time of the charge. */
  uploadedBytes: byteCountSchema,
  downloadedBytes: byteCountSchema,
  /** US dollars for one megabyte. */
  megabytePrice: dollarsSchema,
  /** US dollars; negative for a refund. */
  amount: dollarsSchema,
  /** Over the hash before it and this charge; docs/receipts.md gives the exact bytes. */
  hash: hashSchema,
});
export type Charge = z.infer<typeof chargeSchema>;

export const receiptSchema = z.object({
  version: z.literal(1),
  connectionId: idSchema,
  ip: z.string(),
  /** US dollars for 100 MB, as bought. */
  price: dollarsSchema,
  status: z.enum(connectionStatuses),
  endReason: z.enum(endReasons).nullable(),
  createdAt: dateSchema,
  disconnectAt: dateSchema.nullable(),
  uploadedBytes: byteCountSchema,
  downloadedBytes: byteCountSchema,
  /** The sum of all amounts below. */
  total: dollarsSchema,
  charges: z.array(chargeSchema),
  /** When this receipt was signed. */
  issuedAt: dateSchema,
  /** The first 16 hexadecimal digits of the SHA-256 of the public key. */
  keyId: z.string(),
  /** Base64, Ed25519 (RFC 8032), over everything above. */
  signature: z.string(),
});
export type Receipt = z.infer<typeof receiptSchema>;

export const getReceipt = endpoint({
  method: 'GET',
  url: '/v1/proxies/connections/{id}/receipt',
  access: 'user',
  summary: 'The signed receipt of one connection, charge by charge',
  params: idParams,
  response: data(receiptSchema),
  errors: ['NOT_FOUND'],
  isExport: true,
});

/** The same charges page by page, without the signature. */
export const listCharges = endpoint({
  method: 'GET',
  url: '/v1/proxies/connections/{id}/charges',
  access: 'user',
  summary: 'The charges of one connection, newest first',
  params: idParams,
  query: z.strictObject(pageQuery),
  response: paged(chargeSchema),
  errors: ['NOT_FOUND'],
});

const connectionCostSchema = z.object({
  createdAt: dateSchema,
  /** When the connection ended; while it works, the time of the response. */
  until: dateSchema,
  /** US dollars, minus refunds. */
  total: dollarsSchema,
  /** The cost after a charge. Many charges are sampled evenly; the last one is always included. */
  steps: z.array(z.object({ chargedAt: dateSchema, cost: dollarsSchema })),
});
export type ConnectionCost = z.infer<typeof connectionCostSchema>;

export const getConnectionCost = endpoint({
  method: 'GET',
  url: '/v1/proxies/connections/{id}/cost',
  access: 'user',
  summary: 'What one connection has cost over time',
  params: idParams,
  response: data(connectionCostSchema),
  errors: ['NOT_FOUND'],
});

const publicKeySchema = z.object({ keyId: z.string(), algorithm: z.literal('Ed25519'), publicKey: z.string() });
export type PublicReceiptKey = z.infer<typeof publicKeySchema>;
/** `olderKeys` signed earlier receipts and are no longer used. */
const publicKeysSchema = publicKeySchema.extend({ olderKeys: z.array(publicKeySchema) });
export type PublicReceiptKeys = z.infer<typeof publicKeysSchema>;

export const getReceiptKey = endpoint({
  method: 'GET',
  url: '/v1/receipts/public-key',
  access: 'public',
  summary: 'The public key of new receipts, and older public keys',
  response: data(publicKeysSchema),
});
