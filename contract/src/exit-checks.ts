/** Checks of exits: what gateways and the API say about them, and the echo that they ask. See also gateway.ts. */
import { z } from 'zod';
import { endpoint } from './endpoint.ts';
import { exitSchema } from './exits.ts';
import { data, idSchema } from './schemas.ts';

/** The most checks that one call reports or asks for. */
export const EXIT_CHECKS_MAX = 256;

/**
 * The outcome of a check: a request through the exit to an echo of the shop. `inconclusive`: the node could not reach the echo by
 * its own route either, so nothing is known about the exit.
 */
export const exitCheckSchema = z.object({
  exitId: idSchema,
  outcome: z.enum(['ok', 'failed', 'inconclusive']),
  /** Why it did not succeed: a code, and after a colon the status or reply code of another proxy or of the echo. */
  reason: z.string().max(80).optional(),
  /** From the dial to the first byte of the response. */
  latencyMs: z.int().nonnegative().max(600_000).optional(),
  /** The client address that the echo saw; absent if it is not public. */
  seenAddress: z.union([z.ipv4(), z.ipv6()]).optional(),
});
export type ExitCheck = z.infer<typeof exitCheckSchema>;

/** Sent about every second, and sooner while many checks are due. What is due is handed to one run of the node only. */
export const checkExits = endpoint({
  method: 'POST',
  url: '/internal/gateway/exit-checks',
  access: 'gateway',
  summary: 'Report checks of exits; returns exits of this node whose check is due',
  body: z.object({
    checks: z.array(exitCheckSchema).max(EXIT_CHECKS_MAX),
    /** Exits through which tunnels of customers have failed to destinations of several networks without a success in between. */
    suspectIds: z.array(idSchema).max(EXIT_CHECKS_MAX),
    /** How many checks the node can begin now. */
    wanted: z.int().nonnegative().max(EXIT_CHECKS_MAX),
  }),
  response: data(
    z.object({
      due: z.array(exitSchema),
      /** Those of `due` whose last check has found that they carry the echo and nothing else. */
      echoAloneIds: z.array(idSchema),
      /** Exits in use whose checks have failed for so long that their connections end as EXIT_LOST. */
      lostIds: z.array(idSchema),
    }),
  ),
});
export type ExitChecksResponse = z.infer<typeof checkExits.response>['data'];

/** An echo anywhere else has to give the same response (EXIT_ECHO_URL). */
export const echo = endpoint({
  method: 'GET',
  url: '/v1/echo',
  access: 'public',
  summary: 'The address from which the request came, for checks of exits',
  query: z.strictObject({ nonce: z.string().regex(/^[0-9A-Za-z-]{1,64}$/) }),
  response: data(z.object({ nonce: z.string(), address: z.string() })),
});
