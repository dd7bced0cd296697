/** One search for everything: the kinds that the caller may read. */
import { z } from 'zod';
import { connectionStatuses } from '../connections.ts';
import { endpoint } from '../endpoint.ts';
import { currencies } from '../invoices.values.ts';
import { EMAIL_LENGTH_MAX } from '../limits.ts';
import { addressSchema, data, dateInputSchema, dateSchema, dollarsSchema, idSchema } from '../schemas.ts';
import { addressUses, foundKinds, SEARCH_LENGTH_MIN } from './lists.values.ts';

export const foundSchema = z.object({
  kind: z.enum(foundKinds),
  id: idSchema,
  /** An email, an IP address, a code. */
  title: z.string(),
  /** Distinguishes results with the same title, for example by their owner; may be empty. */
  detail: z.string(),
  /** Of an invoice: US dollars and currency, which the title has as codes. */
  invoice: z.object({ amount: dollarsSchema, currency: z.enum(currencies) }).optional(),
  /** Of a proxy: the detail is its country and city, this one without the code. */
  place: z.object({ countryCode: z.string(), city: z.string() }).optional(),
  /** Of a connection: its state, and from when until when it had the address; null: it has it now. */
  status: z.enum(connectionStatuses).optional(),
  period: z.object({ from: dateSchema, to: dateSchema.nullable() }).optional(),
  /** Of a user who was found by an address or a transaction; the period is then the last sign-in or that of the connection. */
  use: z.enum(addressUses).optional(),
});
export type Found = z.infer<typeof foundSchema>;

export const searchEverything = endpoint({
  method: 'GET',
  url: '/v1/search/admin',
  access: 'staff',
  summary:
    'Search by email, id, IP of a proxy, of a client or of a sign-in (`at`: those that had it then), user name of a connection, address (or its beginning) or transaction of an invoice, promo code, words of a ticket',
  query: z
    .strictObject({
      text: z.string().trim().min(SEARCH_LENGTH_MIN).max(EMAIL_LENGTH_MAX),
      /** With the text of an IP address: who had it at this time. */
      at: dateInputSchema.optional(),
    })
    .refine(({ text, at }) => at === undefined || addressSchema.safeParse(text).success, {
      message: 'needs an address',
      path: ['at'],
    }),
  response: data(z.array(foundSchema)),
});
