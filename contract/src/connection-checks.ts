import { z } from 'zod';
import { endpoint } from './endpoint.ts';
import { CONNECTION_CHECKS_PER_HOUR_MAX } from './limits.ts';
import { locationSchema } from './proxies.ts';
import { data, dateSchema, idParams } from './schemas.ts';

/**
 * RUNNING: the gateway checks the exit just now; ask again in a second, which costs nothing. UNANSWERED: the gateway has not answered
 * for a while; it checks the exit when it is back. INCONCLUSIVE: the gateway could not reach the echo by its own route either, so nothing
 * is known about the exit.
 */
export const connectionCheckStates = ['RUNNING', 'OK', 'FAILED', 'INCONCLUSIVE', 'UNANSWERED'] as const;

/** Country and operator of an address by the operator's files; null: unknown. */
export const seenPlaceSchema = z.object({
  countryCode: z.string().nullable(),
  isp: z.string().nullable(),
  asn: z.int().nullable(),
});

/** Null: one of both is unknown, or nothing is promised. */
const isAsSoldSchema = z.boolean().nullable();

/** What the gateway found out about the exit of a connection. `ip` and the place are those of the catalogue. */
const connectionCheckSchema = locationSchema.extend({
  state: z.enum(connectionCheckStates),
  /** Null without an answer. */
  checkedAt: dateSchema.nullable(),
  /** The address that websites see. Null if the check did not succeed, or the address is not public, as in the demo. */
  address: z.string().nullable(),
  /** What a request waits for the first byte of its response, with the time to connect; null if the check did not succeed. */
  latencyMs: z.int().nullable(),
  /** Of `address`. Absent: an API of 0.4.0. */
  seenPlace: seenPlaceSchema.nullable().optional(),
  /** Null: not tested, or nothing is known. Absent, as `ipv6` and `resolver`: an API of 0.4.0. */
  udp: z.boolean().nullable().optional(),
  ipv6: z.boolean().nullable().optional(),
  /** The name server that websites see; null: unknown. */
  resolver: z
    .object({
      address: z.string(),
      countryCode: z.string().nullable(),
      /** Whether its country is the one that is sold; null: unknown. */
      isCountryAsSold: isAsSoldSchema,
    })
    .nullable()
    .optional(),
  /** Whether what was seen is what the catalogue says. Where customers can change the address, none is promised. Absent: an API of 0.4.0. */
  isAsSold: z.object({ address: isAsSoldSchema, country: isAsSoldSchema, operator: isAsSoldSchema }).optional(),
  /** The exit is not as sold, so the connection may be replaced. Absent: an API of 0.4.0. */
  isReplaceable: z.boolean().optional(),
});
export type ConnectionCheck = z.infer<typeof connectionCheckSchema>;

export const checkConnection = endpoint({
  method: 'POST',
  url: '/v1/proxies/connections/{id}/check',
  access: 'user',
  summary: `Check the exit of a connection, free of charge: at most ${CONNECTION_CHECKS_PER_HOUR_MAX} an hour, one at a time; an answer younger than 30 s is repeated`,
  params: idParams,
  response: data(connectionCheckSchema),
  errors: ['NOT_FOUND', 'NOT_CONNECTED', 'RATE_LIMITED'],
});
