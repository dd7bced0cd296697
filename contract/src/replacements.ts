import { z } from 'zod';
import { connectionSchema } from './connections.ts';
import { endpoint } from './endpoint.ts';
import { data, dollarsSchema, idParams } from './schemas.ts';

const replacementSchema = z.object({
  /** False: the last free proxy was sold meanwhile, or the balance does not pay for it any more. */
  isReplaced: z.boolean(),
  /** What came back of the replaced connection, which has ended. */
  refund: dollarsSchema,
  /** The new one, with its credentials; or the old one, which has ended. */
  connection: connectionSchema,
  currentBalance: dollarsSchema,
});
export type Replacement = z.infer<typeof replacementSchema>;

export const replaceConnection = endpoint({
  method: 'POST',
  url: '/v1/proxies/connections/{id}/replace',
  access: 'user',
  summary:
    'Replace a connection whose exit failed a check within the last 10 minutes, or was not as sold: it ends with a refund of the unused part of its first 50 MB, and a free proxy of the same country, operator and price is bought. A repeated request returns the same',
  params: idParams,
  response: data(replacementSchema),
  errors: ['NOT_FOUND', 'NOT_CONNECTED', 'NOT_REPLACEABLE', 'PROXY_NOT_FOUND', 'SMALL_BALANCE', 'RATE_LIMITED'],
});
