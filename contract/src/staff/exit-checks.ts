import { z } from 'zod';
import { seenPlaceSchema } from '../connection-checks.ts';
import { endpoint } from '../endpoint.ts';
import { exitNamesSchema } from '../exits.ts';
import { EXIT_HISTORY_DAYS } from '../limits.ts';
import { data, dateSchema, idParams, idSchema, reasonSchema } from '../schemas.ts';
import { exitHealths } from './inventory.values.ts';

/** An exit in lists of staff. */
export const inventoryExitSchema = z.object({
  id: idSchema,
  node: z.string(),
  kind: z.string(),
  /** An address of the node's host (null: its default route), or the upstream proxy as `socks5://host:port`, without credentials. */
  address: z.string().nullable(),
  /**
   * Where names of destinations are resolved, now: through an upstream proxy, or by the name servers of its node. Null: it is none. Absent: an
   * API of 0.4.0.
   */
  names: exitNamesSchema.nullable().optional(),
});

/** The checks of an exit, as staff see them. */
export const exitCheckSchema = z.object({
  health: z.enum(exitHealths),
  /** Null: not checked yet. */
  checkedAt: dateSchema.nullable(),
  /** At the last success. */
  latencyMs: z.int().nullable(),
  /** Why the last check did not succeed: a code, and after a colon a status or reply code. Null: it did. */
  reason: z.string().nullable(),
  /** The public address of the exit, as the echo saw it; null if it was not public, as in the demo. */
  seenAddress: z.string().nullable(),
  /** It is not the address that is sold. Addresses of different families are not compared. */
  isAddressDifferent: z.boolean(),
  /** Of the address that was seen. Absent: an API of 0.4.0. */
  seenPlace: seenPlaceSchema.nullable().optional(),
  /** What it carries besides tunnels, at most about an hour old; null: not tested, or nothing is known. Absent: an API of 0.4.0. */
  capabilities: z
    .object({
      udp: z.boolean().nullable(),
      ipv6: z.boolean().nullable(),
      dns: z.boolean().nullable(),
      resolver: z.string().nullable(),
    })
    .optional(),
  /** Its country is not the one that is sold, or its operator is another one by the number of its autonomous system. */
  isPlaceDifferent: z.boolean().optional(),
});
export type ExitCheck = z.infer<typeof exitCheckSchema>;

const exitDaySchema = z.object({
  /** UTC. */
  day: z.iso.date(),
  /** Without those that gave no verdict. */
  checks: z.int(),
  failed: z.int(),
  /** The mean of those that succeeded; null: none did. */
  latencyMs: z.int().nullable(),
  /** The most that customers' tunnels reached together in some seconds; null: there was no traffic. */
  bytesPerSecond: z.int().nullable(),
  /** How often the exit has stopped working. */
  outages: z.int(),
  /** The last failure of the day, as `reason` of a check; null: none failed. */
  lastFailure: z.object({ at: dateSchema, reason: z.string() }).nullable(),
});
export type ExitDay = z.infer<typeof exitDaySchema>;

export const listExitDays = endpoint({
  method: 'GET',
  url: '/v1/proxies/admin/exits/{id}/days',
  access: { permission: 'PROXIES_READ' },
  summary: `The checks of an exit on each of the last ${EXIT_HISTORY_DAYS} days on which there were any, the newest first`,
  params: idParams,
  response: data(z.array(exitDaySchema)),
});

export const checkExitNow = endpoint({
  method: 'POST',
  url: '/v1/proxies/admin/exits/{id}/check',
  access: { permission: 'PROXIES_EDIT' },
  summary: 'Let the gateway check an exit now; the outcome is in the list within seconds',
  params: idParams,
  response: data(z.object({ id: idSchema })),
  status: 202,
  errors: ['NOT_FOUND'],
});

const exitNamesChangeSchema = z.strictObject({ names: exitNamesSchema, reason: reasonSchema.optional() });
export type ExitNamesChange = z.infer<typeof exitNamesChangeSchema>;

export const changeExitNames = endpoint({
  method: 'PUT',
  url: '/v1/proxies/admin/exits/{id}/names',
  access: { permission: 'PROXIES_EDIT' },
  summary: 'Resolve names of destinations behind an upstream proxy through it, or by its node',
  params: idParams,
  body: exitNamesChangeSchema,
  response: data(z.object({ id: idSchema })),
  errors: ['NOT_FOUND'],
});
