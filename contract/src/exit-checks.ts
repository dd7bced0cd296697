/** Checks of exits: what gateways and the API say about them, and the echo that they ask. See also gateway.ts. */
import { z } from 'zod';
import { endpoint } from './endpoint.ts';
import { exitSchema } from './exits.ts';
import { rotationLinkSchema } from './rotation-links.ts';
import { data, idSchema } from './schemas.ts';

/** The most checks that one call reports or asks for. */
export const EXIT_CHECKS_MAX = 256;

/** What an exit carries besides tunnels. Absent: not tested, or nothing is known. */
const capabilitiesSchema = z.object({
  /** Datagrams to the STUN server of the node's settings came back. */
  udp: z.boolean().optional(),
  ipv6: z.boolean().optional(),
  /** A name server has answered through the exit. */
  dns: z.boolean().optional(),
  /** The address from which names of destinations are asked for, as the name of the node's settings tells it. */
  resolver: z.union([z.ipv4(), z.ipv6()]).optional(),
});
export type ExitCapabilities = z.infer<typeof capabilitiesSchema>;

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
  /** The same, also if it is not public: what a change of the address compares. Nodes before contract version 3 leave it out. */
  address: z.union([z.ipv4(), z.ipv6()]).optional(),
  /** The most that customers' tunnels through the exit reached together in some seconds, since the last check by this run. Absent: no traffic. */
  bytesPerSecond: z.int().positive().optional(),
  /** Of exits of `capabilityIds`. */
  capabilities: capabilitiesSchema.optional(),
});
export type ExitCheck = z.infer<typeof exitCheckSchema>;

/** From this contract version on nodes call links that change addresses. */
export const ROTATION_CONTRACT_VERSION = 3;

/** The most changes of addresses that one call reports or orders. */
export const ROTATIONS_MAX = 64;

/**
 * What became of an order to call a link. `called`: the call begins now, so that later checks may see another address. `failed`: nothing was
 * called, or the farm has refused; it may follow `called`. No answer of a link says that the address has changed.
 */
const rotationReportSchema = z.object({
  id: idSchema,
  outcome: z.enum(['called', 'failed']),
  reason: z.string().max(80).optional(),
  /** What the echo saw just before. */
  address: z.union([z.ipv4(), z.ipv6()]).optional(),
});
export type RotationReport = z.infer<typeof rotationReportSchema>;

export const rotationOrderSchema = z.object({ id: idSchema, exit: exitSchema, link: rotationLinkSchema });
export type RotationOrder = z.infer<typeof rotationOrderSchema>;

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
    rotations: z.array(rotationReportSchema).max(ROTATIONS_MAX).optional(),
    /** How many links the node can call now. Absent: it calls none. */
    rotationsWanted: z.int().nonnegative().max(ROTATIONS_MAX).optional(),
  }),
  response: data(
    z.object({
      due: z.array(exitSchema),
      /** Those of `due` whose last check has found that they carry the echo and nothing else. */
      echoAloneIds: z.array(idSchema),
      /** Those of `due` whose other capabilities shall be tested, too. Absent: an API of 0.4.0. */
      capabilityIds: z.array(idSchema).optional(),
      /** Exits in use whose checks have failed for so long that their connections end as EXIT_LOST. */
      lostIds: z.array(idSchema),
      /** Links to call; each order is handed out once. */
      rotations: z.array(rotationOrderSchema).optional(),
      /** Exits whose address is about to change: an end of their tunnels is no clean one. */
      rotatingIds: z.array(idSchema).optional(),
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
