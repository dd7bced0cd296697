/** One search for everything: the kinds that the caller may read. */
import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import { EMAIL_LENGTH_MAX } from '../limits.ts';
import { data, idSchema } from '../schemas.ts';
import { foundKinds, SEARCH_LENGTH_MIN } from './lists.values.ts';

export const foundSchema = z.object({
  kind: z.enum(foundKinds),
  id: idSchema,
  /** An email, an IP address, a code. */
  title: z.string(),
  /** Distinguishes results with the same title, for example by their owner; may be empty. */
  detail: z.string(),
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
