/**
 * The internal interface between a gateway node and the control plane: credit control in the words of RFC 8506.
 *
 * A gateway process makes a random `runId` at its start. Within one run both totals of a connection only grow:
 * `usedBytes`, which the gateway counts, and `grantedBytes`, up to which it may let bytes pass. A repeated, late or
 * reordered message therefore changes nothing: the maximum wins. All calls go from the gateway to the API.
 *
 * Nodes and API are upgraded one after the other, in either order: both ignore fields that they do not know, so nothing
 * here is a strict object, and a new field that is sent is optional to whoever reads it.
 */
import { z } from 'zod';
import { endpoint } from './endpoint.ts';
import { data, idSchema } from './schemas.ts';

/**
 * 1: `authorize`, `update`, `end`. 2: also `hello`. 3: also `watch`. 4: also `authorizeAddress`, who may use a connection (`access`),
 * and why one has ended (`reason`). An older API answers a call that it does not know with 404.
 */
export const GATEWAY_CONTRACT_VERSION = 4;
/** Nodes of this version and later are served. */
export const OLDEST_GATEWAY_CONTRACT_VERSION = 1;

const versionSchema = z.int().positive();

export const hello = endpoint({
  method: 'POST',
  url: '/internal/gateway/hello',
  access: 'gateway',
  summary: 'The first call of a node, repeated every minute: state versions, learn what concerns the whole node',
  body: z.object({ contractVersion: versionSchema }),
  response: data(
    z.object({
      contractVersion: versionSchema,
      oldestContractVersion: versionSchema,
      /** The web app and API for everybody: customers reach this host and port also through a node on the same machine. */
      publicUrl: z.url(),
    }),
  ),
});

/**
 * How traffic leaves: from a local address, or by the host's own route where `address` is null. A node opens an exit once
 * for all connections that name the same `id`; without one, exits that look alike are one.
 */
export const exitSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('local-address'),
    id: idSchema.optional(),
    address: z.union([z.ipv4(), z.ipv6()]).nullable(),
  }),
]);
export type Exit = z.infer<typeof exitSchema>;

/**
 * Why no more is granted, or why a connection has ended: one of `endReasons` (connections.ts), or `RECALLED`: the run gives back
 * what it was granted, and may authorize the connection again. A newer API may know others.
 */
const reasonSchema = z.string().max(40);

/** Who may use a connection. */
export const accessSchema = z.object({
  /** Grows with each change of what follows. */
  revision: z.int().nonnegative(),
  /** The revision that brought the present password. */
  passwordRevision: z.int().nonnegative(),
  /** Addresses and networks (CIDR notation) whose clients need no password. */
  allowList: z.array(z.string().max(50)).max(1000),
});
export type Access = z.infer<typeof accessSchema>;

/**
 * - `open`: more will be granted as it is used.
 * - `final`: no more is granted for now; at `grantedBytes` the tunnels are cut (money has ended).
 * - `ended`: cut all tunnels now, then send the last total with `end`.
 */
export const creditStateSchema = z.enum(['open', 'final', 'ended']);
export type CreditState = z.infer<typeof creditStateSchema>;

/** Whole bytes as a JSON number; exact up to 9 PB. */
const bytesSchema = z.int().nonnegative();

export const creditSchema = z.object({
  connectionId: idSchema,
  grantedBytes: bytesSchema,
  state: creditStateSchema,
  /** Of `final` and `ended`. */
  reason: reasonSchema.optional(),
  /** Where it is newer than what the report knows. */
  access: accessSchema.optional(),
});
export type Credit = z.infer<typeof creditSchema>;

export const GATEWAY_BATCH_MAX = 5000;

/** What a run has counted on a connection. */
export const usageSchema = z.object({
  connectionId: idSchema,
  usedBytes: bytesSchema,
  /** Of `usedBytes`, those that went from the client to its destinations. Only grows, as `usedBytes` does. */
  uploadedBytes: bytesSchema,
  /** The exit cannot be used any longer; the control plane ends the connection as EXIT_LOST. */
  isExitLost: z.boolean(),
  /** Bytes the gateway wants to have granted ahead of `usedBytes`: some round trips at the present rate. 0: none needed. */
  wantedBytes: bytesSchema,
  /** Of `access`, as far as this run knows it. */
  accessRevision: z.int().nonnegative().optional(),
});
export type Usage = z.infer<typeof usageSchema>;

/** What no connection can have is refused by the gateway itself. PostgreSQL cannot hold the character NUL. */
const credentialSchema = z
  .string()
  .min(1)
  .max(255)
  .refine((text) => !text.includes('\0'));

const clientAddressSchema = z.union([z.ipv4(), z.ipv6()]);

export const authorizeBody = z.object({
  runId: idSchema,
  username: credentialSchema,
  password: credentialSchema,
  /** Addresses that have used the password may be put on the allow-list. */
  clientAddress: clientAddressSchema.optional(),
});

export const authorizationSchema = z.discriminatedUnion('isAuthorized', [
  z.object({
    isAuthorized: z.literal(true),
    connectionId: idSchema,
    exit: exitSchema,
    /** Where this run's counter stands: 0 at first, the last total when the run had ended the connection before. */
    usedBytes: bytesSchema,
    uploadedBytes: bytesSchema,
    grantedBytes: bytesSchema,
    state: creditStateSchema,
    /** Of `final`. */
    reason: reasonSchema.optional(),
    access: accessSchema.optional(),
  }),
  /**
   * Unknown user and wrong password look alike. For the right password of a connection that has ended within a day, `reason` says why;
   * for an address that several connections list, it is `ADDRESS_SHARED`.
   */
  z.object({ isAuthorized: z.literal(false), reason: reasonSchema.optional() }),
]);
export type Authorization = z.infer<typeof authorizationSchema>;

export const authorize = endpoint({
  method: 'POST',
  url: '/internal/gateway/authorize',
  access: 'gateway',
  summary: 'Check the credentials of a first tunnel and open the connection in this run',
  body: authorizeBody,
  response: data(authorizationSchema),
});

/** For a client without credentials; a node asks as seldom as it can, because strangers can make it ask. */
export const authorizeAddress = endpoint({
  method: 'POST',
  url: '/internal/gateway/authorize-address',
  access: 'gateway',
  summary: 'Find the one connection that lists the address of a client, and open it in this run',
  body: z.object({ runId: idSchema, clientAddress: clientAddressSchema }),
  response: data(authorizationSchema),
});

/**
 * Sent every half second for connections that have used something, and in between for those that have used much. Every two
 * seconds, or every half second where nothing is told by `watch`, it is sent for every connection that the run has open:
 * the answer tells which have ended. Connections unknown to the control plane are answered as `ended`.
 */
export const update = endpoint({
  method: 'POST',
  url: '/internal/gateway/update',
  access: 'gateway',
  summary: 'Report used bytes; get grants and ended connections',
  body: z.object({ runId: idSchema, usages: z.array(usageSchema).max(GATEWAY_BATCH_MAX) }),
  response: data(z.array(creditSchema)),
});

/** After this the run counts nothing more on these connections; what was granted and not used is free again. */
export const end = endpoint({
  method: 'POST',
  url: '/internal/gateway/end',
  access: 'gateway',
  summary: 'Report the last totals of connections whose tunnels are all closed',
  body: z.object({
    runId: idSchema,
    usages: z
      .array(usageSchema.omit({ wantedBytes: true, isExitLost: true, accessRevision: true }))
      .max(GATEWAY_BATCH_MAX),
  }),
  response: data(z.object({ acknowledged: z.array(idSchema) })),
});

/** Answered after this time at the latest: proxies in between give up after a minute. */
export const GATEWAY_WATCH_HELD_MS = 25_000;

/**
 * Held until connections of this run are to end, or others may use them, and then sent again: so it takes effect at once, and idle
 * connections need few reports. What is told here only comes sooner than by `update`, so nothing is lost with an answer that is.
 */
export const watch = endpoint({
  method: 'POST',
  url: '/internal/gateway/watch',
  access: 'gateway',
  summary: 'Wait for connections that are to end, and for changes of who may use them',
  body: z.object({ runId: idSchema }),
  /** All of it is empty when the time was over, or when this call cannot be held. */
  response: data(
    z.object({
      /** As in a credit's state. */
      ended: z.array(idSchema),
      /** Of those in `ended`. */
      reasons: z.record(idSchema, reasonSchema).optional(),
      changed: z.array(z.object({ connectionId: idSchema, access: accessSchema })).optional(),
      /** Of any connection, also of those that this run does not have: what it knows of addresses may be wrong. */
      areAllowListsChanged: z.boolean().optional(),
    }),
  ),
});
export type WatchAnswer = z.infer<typeof watch.response>['data'];
