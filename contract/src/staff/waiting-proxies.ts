import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import { placeShape } from '../proxies.ts';
import { data, dateSchema, dollarsSchema, idParams, idSchema, listQuery, listed } from '../schemas.ts';

/** An imported line that becomes a proxy when a check of its exit has seen the address. */
const waitingProxySchema = z.object({
  exitId: idSchema,
  /** Without credentials: `***`. */
  exit: z.string(),
  node: z.string(),
  ...placeShape,
  price: dollarsSchema,
  createdAt: dateSchema,
  /** Of the last check; null: none yet, or it succeeded. */
  checkedAt: dateSchema.nullable(),
  reason: z.string().nullable(),
  seenAddress: z.string().nullable(),
  /** Another proxy has the address that a check saw. */
  isTaken: z.boolean(),
});
export type WaitingProxy = z.infer<typeof waitingProxySchema>;

export const listWaiting = endpoint({
  method: 'GET',
  url: '/v1/proxies/admin/waiting',
  access: { permission: 'PROXIES_READ' },
  summary: 'Imported lines without an address, which a check of their exit finds; the oldest first',
  query: z.strictObject(listQuery),
  response: listed(waitingProxySchema),
});

export const removeWaiting = endpoint({
  method: 'DELETE',
  url: '/v1/proxies/admin/waiting/{id}',
  access: { permission: 'PROXIES_EDIT' },
  summary: 'Remove such a line, by its exit',
  params: idParams,
  response: data(z.object({ id: idSchema })),
  errors: ['NOT_FOUND'],
});
