/**
 * The internal interface between a gateway node and the control plane: credit control with the terms of RFC 8506.
 *
 * A gateway process generates a random `runId` when it starts. Within one run both totals of a connection are monotonic:
 * `usedBytes`, which the gateway counts, and `grantedBytes`, the limit of what it may forward. A repeated, late or
 * reordered message therefore changes nothing: the maximum wins. The gateway calls the API, never the reverse.
 *
 * Nodes and API are upgraded separately, in any order. Both ignore unknown fields, so no schema here is strict, and the
 * receiver treats every new field as optional.
 */
import { z } from 'zod';
import { sentLimitsSchema } from './connection-limits.ts';
import { endpoint } from './endpoint.ts';
import { exitSchema } from './exits.ts';
import { nodeStatusSchema } from './node-status.ts';
import { data, idSchema } from './schemas.ts';
import { sealedWitnessSchema } from './sealed-witness.ts';

/** Increases with each call or exit kind that nodes or APIs of the previous release do not know. */
export const GATEWAY_CONTRACT_VERSION = 3;
/** The oldest contract version of a node that the API accepts: that of the previous release. */
export const OLDEST_GATEWAY_CONTRACT_VERSION = 2;
const versionSchema = z.int().positive();

/** More than a node has networks of open connections. */
export const PURCHASE_NETWORKS_MAX = 20_000;

/**
 * Where the buyer of an open connection was signed in at the purchase, as nodes count clients: an IPv4 address, or the /64 of an IPv6
 * address. While strangers flood a node, clients from there are not strangers until the connection ends.
 */
const purchaseNetworkSchema = z.object({ connectionId: idSchema, network: z.string().max(50) });
export type PurchaseNetwork = z.infer<typeof purchaseNetworkSchema>;

export const hello = endpoint({
  method: 'POST',
  url: '/internal/gateway/hello',
  access: 'gateway',
  summary: 'Heartbeat of a node, at its start and every minute: exchanges versions and node-wide settings',
  body: z.object({
    contractVersion: versionSchema,
    runId: idSchema,
    /** Shown to staff. */
    status: nodeStatusSchema,
    witness: sealedWitnessSchema.optional(),
  }),
  response: data(
    z.object({
      contractVersion: versionSchema,
      oldestContractVersion: versionSchema,
      /** The public address of web app and API. Customers may reach it through a node even if both share a machine. */
      publicUrl: z.url(),
      /** Where checks of exits send their requests. */
      echoUrls: z.array(z.url()).max(4),
      /** `tcp://host:port` of what no exit may use as its upstream, in addition to control plane and gateway: the database. */
      refusedUpstreams: z.array(z.url()).max(4),
      /** Of all open connections of the node. */
      purchaseNetworks: z.array(purchaseNetworkSchema),
      witness: sealedWitnessSchema.optional(),
      /** That of the refused destinations: a node that has another one reads them. */
      refusedRevision: z.string().max(40).optional(),
    }),
  ),
});

/**
 * Why there is no further grant, or why a connection has ended: one of `endReasons` (connections.ts), or `RECALLED`: the run
 * ends its part of the connection, which releases its unused grant, and may authorize the connection again. A newer API may
 * send other reasons.
 */
const reasonSchema = z.string().max(40);

/** Who may use a connection. */
export const accessSchema = z.object({
  /** Increases with each change of the password or the allow-list. */
  revision: z.int().nonnegative(),
  /** The revision of the current password. */
  passwordRevision: z.int().nonnegative(),
  /** Addresses and networks (CIDR notation) of clients that need no password. */
  allowList: z.array(z.string().max(50)).max(1000),
});
export type Access = z.infer<typeof accessSchema>;

/**
 * - `open`: more bytes are granted as they are used.
 * - `final`: no further grant for now. The gateway closes the tunnels at `grantedBytes` (`reason` says why).
 * - `ended`: close all tunnels now, then send the final total with `end`.
 */
export const creditStateSchema = z.enum(['open', 'final', 'ended']);
export type CreditState = z.infer<typeof creditStateSchema>;

/** An integer number of bytes; JSON numbers are exact up to 9 PB. */
const bytesSchema = z.int().nonnegative();

export const creditSchema = z.object({
  connectionId: idSchema,
  grantedBytes: bytesSchema,
  state: creditStateSchema,
  /** For `final` and `ended`. */
  reason: reasonSchema.optional(),
  /** Present if it is newer than the `accessRevision` of the report. */
  access: accessSchema.optional(),
  /** If the report asks for them. */
  limits: sentLimitsSchema.optional(),
});
export type Credit = z.infer<typeof creditSchema>;

export const GATEWAY_BATCH_MAX = 5000;

/**
 * Strangers can cause refusals. So of each connection only the last one is reported and stored, at most once in this time; the API
 * stores another reason sooner, unless it is a wrong password.
 */
export const REFUSAL_REPORT_MS = 5_000;

/** The totals of one connection in one run. */
export const usageSchema = z.object({
  connectionId: idSchema,
  usedBytes: bytesSchema,
  /** The part of `usedBytes` that went from the client to destinations. Monotonic, like `usedBytes`. */
  uploadedBytes: bytesSchema,
  /** The exit is permanently unavailable; the control plane ends the connection as EXIT_LOST. */
  isExitLost: z.boolean(),
  /** Bytes to grant beyond `usedBytes`: a few round trips at the current rate. 0: none needed. */
  wantedBytes: bytesSchema,
  /** The `revision` of the access that this run knows. */
  accessRevision: z.int().nonnegative(),
  /** The response shall contain the limits of the connection, which operators may change while it is open. */
  areLimitsWanted: z.boolean().optional(),
  /** The last refusal of a client of this connection, if there is a new one: at most one in `REFUSAL_REPORT_MS`. */
  refusal: z
    .object({
      /** One of `refusalReasons`. */
      reason: z.string().max(40),
      /** Milliseconds until this report: no message contains a time. */
      agoMs: z.int().nonnegative(),
    })
    .optional(),
});
export type Usage = z.infer<typeof usageSchema>;

const dnsPortSchema = z.int().min(1).max(65_535);

/** The gateway itself refuses credentials that no connection can have. PostgreSQL cannot store the character NUL. */
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
  /** Only addresses that have used the password may be put on the allow-list. */
  clientAddress: clientAddressSchema.optional(),
});

export const authorizationSchema = z.discriminatedUnion('isAuthorized', [
  z.object({
    isAuthorized: z.literal(true),
    connectionId: idSchema,
    exit: exitSchema,
    /** The start value of this run's counter: 0, or the last total if this run has already ended the connection once. */
    usedBytes: bytesSchema,
    uploadedBytes: bytesSchema,
    grantedBytes: bytesSchema,
    state: creditStateSchema,
    /** For `final`. */
    reason: reasonSchema.optional(),
    access: accessSchema,
    /** Absent: none. */
    limits: sentLimitsSchema.optional(),
    /** The port on which this node answers the DNS questions of the connection. Null: the connection has none. */
    dnsPort: dnsPortSchema.nullable(),
  }),
  /**
   * The same response for an unknown username and a wrong password. `reason` is set for the correct password of a connection
   * that ended less than a day ago, and is `ADDRESS_SHARED` for an address that several connections list
   * with the same longest prefix.
   */
  z.object({ isAuthorized: z.literal(false), reason: reasonSchema.optional() }),
]);
export type Authorization = z.infer<typeof authorizationSchema>;

export const authorize = endpoint({
  method: 'POST',
  url: '/internal/gateway/authorize',
  access: 'gateway',
  summary: 'Check the credentials of the first tunnel and open the connection in this run',
  body: authorizeBody,
  response: data(authorizationSchema),
});

/** For a client without credentials. Strangers can cause these calls, so nodes limit and cache them. */
export const authorizeAddress = endpoint({
  method: 'POST',
  url: '/internal/gateway/authorize-address',
  access: 'gateway',
  summary: 'Find the connection that lists the address of a client with the longest prefix, and open it in this run',
  body: z.object({
    runId: idSchema,
    clientAddress: clientAddressSchema,
    /** Set for a question on a DNS port: finds only the connection that has this port, even if others list the address. */
    dnsPort: dnsPortSchema.optional(),
  }),
  response: data(authorizationSchema),
});

/**
 * Called at the start of a node, every minute, and after changes of allow-lists: clients on an allow-list may use the DNS port of a
 * connection before its first tunnel. The node listens on these ports and opens the connection with `authorizeAddress`.
 */
export const dnsPorts = endpoint({
  method: 'POST',
  url: '/internal/gateway/dns-ports',
  access: 'gateway',
  summary: 'The DNS ports of connections on this node that list clients',
  body: z.object({ runId: idSchema }),
  response: data(z.array(z.object({ port: dnsPortSchema, allowList: accessSchema.shape.allowList }))),
});

/**
 * Sent every half second for connections with new traffic, and sooner for connections that use much. Every open connection
 * is reported every two seconds, or every half second if `watch` does not work, because the response contains the ended
 * ones. A connection that the control plane does not know is returned as `ended`.
 */
export const update = endpoint({
  method: 'POST',
  url: '/internal/gateway/update',
  access: 'gateway',
  summary: 'Report used bytes; returns grants and ended connections',
  body: z.object({ runId: idSchema, usages: z.array(usageSchema).max(GATEWAY_BATCH_MAX) }),
  response: data(z.array(creditSchema)),
});

/** After this call the run counts no more bytes on these connections, and their unused grant is released. */
export const end = endpoint({
  method: 'POST',
  url: '/internal/gateway/end',
  access: 'gateway',
  summary: 'Report the final totals of connections whose tunnels are all closed',
  body: z.object({
    runId: idSchema,
    usages: z
      .array(usageSchema.omit({ wantedBytes: true, isExitLost: true, accessRevision: true, areLimitsWanted: true }))
      .max(GATEWAY_BATCH_MAX),
  }),
  response: data(z.object({ acknowledged: z.array(idSchema) })),
});

/** The API responds after this time at the latest: reverse proxies in between time out after a minute. */
export const GATEWAY_WATCH_HELD_MS = 25_000;

/**
 * A long poll: the API holds the request until connections of this run must end, or access to them changes; then the node
 * sends the next one. So a change takes effect immediately, and idle connections need few reports. `update` returns the same
 * changes later, so a lost response does no harm.
 */
export const watch = endpoint({
  method: 'POST',
  url: '/internal/gateway/watch',
  access: 'gateway',
  summary: 'Long poll for connections that must end, for changes of access, and for purchases',
  body: z.object({
    runId: idSchema,
    /** An API of 0.4.0 sends `bought` to a node that says so. */
    arePurchasesWanted: z.literal(true).optional(),
  }),
  /** Empty on a timeout, or if the API cannot hold this request. */
  response: data(
    z.object({
      /** As in the credit state. */
      ended: z.array(idSchema),
      /** By the ids of `ended`. */
      reasons: z.record(idSchema, reasonSchema).optional(),
      changed: z.array(z.object({ connectionId: idSchema, access: accessSchema })).optional(),
      /** An allow-list of any connection has changed, also of those that this run does not have: cached addresses may be outdated. */
      areAllowListsChanged: z.boolean().optional(),
      /** The next `hello` shall come at once. */
      areDestinationsChanged: z.boolean().optional(),
      /** Connections of the node that have just been sold. */
      bought: z.array(purchaseNetworkSchema).optional(),
    }),
  ),
});
export type WatchResponse = z.infer<typeof watch.response>['data'];
