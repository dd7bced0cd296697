/** How gateways get the destinations that the operator refuses (refused-destinations.ts). Not strict, as in gateway.ts. */
import { z } from 'zod';
import { endpoint } from './endpoint.ts';
import { data } from './schemas.ts';

/** The list is long, and a heartbeat must not wait for it: nodes read it by pages, and go on after the last one that arrived. */
export const readRefusedPage = endpoint({
  method: 'POST',
  url: '/internal/gateway/refused-destinations',
  access: 'gateway',
  summary: 'What no customer of any node may reach, in pages',
  body: z.object({
    /** The last entry of the page before; absent: the first page. */
    after: z.string().max(300).optional(),
  }),
  response: data(
    z.object({
      /** Of now. The first page has that of the list: what changed while a node read the others, it reads after that. */
      revision: z.string().max(40),
      entries: z.array(z.string().max(300)),
      isLast: z.boolean(),
    }),
  ),
});
