/** Change of the address that websites see, by a link of the farm to which the exit belongs (docs/exits.md). */
import { z } from 'zod';
import { endpoint } from './endpoint.ts';
import { data, dateSchema, idParams } from './schemas.ts';

/**
 * READY: can be ordered. ROTATING: ordered, and no other address was seen yet. COOLDOWN: changed a moment ago. SAME_IP: the farm was
 * asked, and the address stayed. FAILED: the farm refused, or the exit did not come back. All but ROTATING are those of the last change.
 */
export const rotationStates = ['READY', 'ROTATING', 'COOLDOWN', 'SAME_IP', 'FAILED'] as const;
export type RotationState = (typeof rotationStates)[number];

export const rotationSchema = z.object({
  state: z.enum(rotationStates),
  /** When the next change may be ordered; null: now, or as soon as the one that runs has ended. */
  availableAt: dateSchema.nullable(),
});

const rotationResultSchema = z.object({
  state: z.enum(rotationStates),
  /** Before the change; null: not known. */
  oldIp: z.string().nullable(),
  /** Null: no other address was seen. */
  newIp: z.string().nullable(),
  /** Since the order, or what the change took. */
  seconds: z.int().nonnegative(),
});
export type RotationResult = z.infer<typeof rotationResultSchema>;

export const rotateConnection = endpoint({
  method: 'POST',
  url: '/v1/proxies/connections/{id}/rotate',
  access: 'user',
  summary:
    'Order another address for a connection, free of charge; while one is awaited, returns that change. Open tunnels are reset',
  params: idParams,
  response: data(rotationResultSchema),
  status: 202,
  errors: ['NOT_FOUND', 'NOT_CONNECTED', 'NOT_ROTATABLE', 'GATEWAY_TOO_OLD', 'RATE_LIMITED'],
});

export const CONNECTION_ADDRESSES_MAX = 50;

export const listConnectionAddresses = endpoint({
  method: 'GET',
  url: '/v1/proxies/connections/{id}/addresses',
  access: 'user',
  summary: `The last ${CONNECTION_ADDRESSES_MAX} addresses of a connection, the newest first`,
  params: idParams,
  response: data(
    z.array(
      z.object({
        ip: z.string(),
        /** When a check saw it first. */
        since: dateSchema,
      }),
    ),
  ),
  errors: ['NOT_FOUND'],
});
