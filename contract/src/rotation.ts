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
  /** Whoever opens it orders a change, without signing in; null: none was made. */
  link: z.string().nullable(),
  /** The timer that orders changes; null: none. */
  everyMinutes: z.int().nullable(),
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

/** Held for this long at most; then the answer is ROTATING, and a repeat joins the change. */
export const ROTATE_HELD_MS = 25_000;
export const ROTATE_PATH = '/v1/rotate';

/**
 * The one GET that changes something, because a link is all that many programs can call. A HEAD, and a request whose `Sec-Purpose` is a prefetch,
 * only read.
 */
export const rotateByLink = endpoint({
  method: 'GET',
  url: '/v1/rotate/{secret}',
  access: 'public',
  summary: 'The link of a connection: changes its address and waits for the outcome, 25 s at most',
  params: z.strictObject({ secret: z.string().regex(/^[0-9a-z]{1,64}$/) }),
  response: data(rotationResultSchema),
  errors: ['UNAUTHORIZED', 'NOT_CONNECTED', 'NOT_ROTATABLE', 'GATEWAY_TOO_OLD', 'RATE_LIMITED'],
});

export const renewRotationLink = endpoint({
  method: 'POST',
  url: '/v1/proxies/connections/{id}/rotation-link',
  access: 'user',
  summary: 'Make a link that changes the address of a connection; an earlier one stops working',
  params: idParams,
  response: data(z.object({ link: z.string() })),
  errors: ['NOT_FOUND', 'NOT_CONNECTED', 'NOT_ROTATABLE'],
});

/** Of the timer of a connection. */
export const rotateEveryMinutesSchema = z.int().min(2).max(1440);

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
