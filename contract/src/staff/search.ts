/** One search for everything: the kinds that the caller may read. */
import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import { currencies } from '../invoices.values.ts';
import { EMAIL_LENGTH_MAX } from '../limits.ts';
import { data, dollarsSchema, idSchema } from '../schemas.ts';
import { foundKinds, SEARCH_LENGTH_MIN } from './lists.values.ts';

export const foundSchema = z.object({
  kind: z.enum(foundKinds),
  id: idSchema,
  /** An email, an IP address, a code. */
  title: z.string(),
  /** Distinguishes results with the same title, for example by their owner; may be empty. */
  detail: z.string(),
  /** Of an invoice: US dollars and currency, which the title has as codes. Absent: an API of 0.2.0. */
  invoice: z.object({ amount: dollarsSchema, currency: z.enum(currencies) }).optional(),
});
export type Found = z.infer<typeof foundSchema>;

export const searchEverything = endpoint({
  method: 'GET',
  url: '/v1/search/admin',
  access: 'staff',
  summary:
    'Search by email, id, IP of a proxy or of a client, user name of a connection, address (or its beginning) or transaction of an invoice, promo code, words of a ticket',
  query: z.strictObject({ text: z.string().trim().min(SEARCH_LENGTH_MIN).max(EMAIL_LENGTH_MAX) }),
  response: data(z.array(foundSchema)),
});
