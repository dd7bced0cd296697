import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import { NODES_MAX } from '../limits.ts';
import { data, dateSchema, idParams, idSchema, reasonSchema, versionSchema } from '../schemas.ts';

export const nodeSchema = z.object({
  id: idSchema,
  name: z.string(),
  /** False if none of its processes has reported in the last seconds. */
  isLive: z.boolean(),
  /** Takes no new purchases. */
  isDraining: z.boolean(),
  /** Counts the changes of this node by staff. */
  version: versionSchema,
  /** Null: it has never reported, or its version is too old to report this. */
  lastReportAt: dateSchema.nullable(),
  softwareVersion: z.string().nullable(),
  /** What moves the bytes of its tunnels: `splice` is native code, `pump` and `streams` are TypeScript. Null: not known. */
  relay: z.string().nullable(),
  /** From the last heartbeat, up to a minute ago; null if the node is silent. */
  tunnels: z.int().nullable(),
  bytesPerSecond: z.number().nullable(),
  /** The host and ports that customers connect to. */
  host: z.string(),
  port: z.int(),
  /** With which it serves https proxies; null: it serves none. Absent: an API of 0.4.0. */
  certificate: z.object({ endsAt: dateSchema, fitsHost: z.boolean() }).nullable().optional(),
  dnsPorts: z.object({ free: z.int(), total: z.int() }),
  exits: z.int(),
  openConnections: z.int(),
  /** When its processes of the last 24 hours ran, from their start to their last report, the oldest first. */
  runs: z.array(z.object({ from: dateSchema, to: dateSchema })),
  /** The last check of one of its exits that failed. */
  lastFailure: z.object({ reason: z.string(), at: dateSchema }).nullable(),
});
export type GatewayNode = z.infer<typeof nodeSchema>;

export const listNodes = endpoint({
  method: 'GET',
  url: '/v1/nodes/admin',
  access: { permission: 'NODES_READ' },
  summary: `Gateway nodes by name; at most ${NODES_MAX}`,
  response: data(z.array(nodeSchema)),
});

export const changeNode = endpoint({
  method: 'PATCH',
  url: '/v1/nodes/admin/{id}',
  access: { permission: 'NODES_EDIT' },
  summary: 'Drain a node: its proxies are no longer sold, and open connections go on. Or end that',
  params: idParams,
  body: z.strictObject({
    isDraining: z.boolean(),
    version: versionSchema.optional(),
    reason: reasonSchema.optional(),
  }),
  response: data(nodeSchema),
  errors: ['NOT_FOUND', 'CHANGED_ELSEWHERE'],
});
