import { z } from 'zod';
import { connectionLimitsSchema } from './connection-limits.ts';
import { connectionFileFormats } from './connections.values.ts';
import { endpoint } from './endpoint.ts';
import {
  ALLOW_LIST_IPV4_PREFIX_BITS_MIN,
  ALLOW_LIST_IPV6_PREFIX_BITS_MIN,
  ALLOW_LIST_MAX,
  CAP_MEGABYTES_MAX,
  CONNECTION_LABEL_LENGTH_MAX,
  CONNECTION_SEARCH_LENGTH_MAX,
  RECENT_ADDRESSES_MAX,
} from './limits.ts';
import { parseNetwork } from './network.ts';
import { locationSchema } from './proxies.ts';
import { rotateEveryMinutesSchema, rotationSchema } from './rotation.ts';
import { data, dateSchema, dollarsSchema, idParams, idSchema, paged, pageQuery } from './schemas.ts';

/** NOT_WORK: ended by the system; `endReason` says why. */
export const connectionStatuses = ['WORK', 'NOT_WORK', 'DISCONNECT_USER', 'DISCONNECT_ADMIN', 'NO_MONEY'] as const;
export type ConnectionStatus = (typeof connectionStatuses)[number];
export const endReasons = ['USER', 'ADMIN', 'IDLE', 'NO_MONEY', 'EXIT_LOST', 'CAP'] as const;
export type EndReason = (typeof endReasons)[number];
/** PARTLY_REFUNDED: staff have given back a part of what the connection cost. */
export const refundStatuses = ['NONE', 'REFUNDED', 'PARTLY_REFUNDED'] as const;
export type RefundStatus = (typeof refundStatuses)[number];

export const connectionSchema = locationSchema.extend({
  id: idSchema,
  /** US dollars for 100 MB, as bought. */
  price: dollarsSchema,
  /** The cost of the connection until now, minus refunds. */
  paidFor: dollarsSchema,
  /** KiB of payload, both directions together. */
  trafficUsed: z.number().nonnegative(),
  status: z.enum(connectionStatuses),
  refundStatus: z.enum(refundStatuses),
  endReason: z.enum(endReasons).nullable(),
  createdAt: dateSchema,
  /** When the first of the connections was bought that this one replaces: the time for refunds counts from then. Null: it replaces none. */
  firstBoughtAt: dateSchema.nullable(),
  /** When the gateway last reported traffic. */
  syncAt: dateSchema.nullable(),
  disconnectAt: dateSchema.nullable(),
  /** The address of the gateway node that serves it. */
  host: z.string(),
  port: z.int(),
  /** Its port also serves https proxies, with a certificate for the host. Absent: an API of 0.4.0. */
  isTlsServed: z.boolean().optional(),
  /** Null if all DNS ports of that node were taken at the purchase. */
  dnsPort: z.int().nullable(),
  username: z.string(),
  /** Null if the key it was encrypted with is no longer configured. */
  password: z.string().nullable(),
  /** Chosen by the customer; may be empty. */
  label: z.string(),
  /** The connection ends when it has used this traffic. Null: no cap. */
  capMegabytes: z.int().nullable(),
  /** Of ports, tunnels and speed, as the operator has set them; null: no limit. */
  limits: connectionLimitsSchema,
  /** The address that websites see now, which a change or the farm may have replaced; null: not known. `ip` stays the one that was sold. */
  currentIp: z.string().nullable(),
  /** Null: its address cannot be changed on demand. */
  rotation: rotationSchema.nullable(),
  /** Why a gateway last refused a client of this connection. Null: it never has. */
  lastRefusal: z
    .object({
      /** One of `refusalReasons`, or that of a newer gateway. */
      reason: z.string(),
      refusedAt: dateSchema,
    })
    .nullable(),
});
export type Connection = z.infer<typeof connectionSchema>;

/** The user's balance after the change, so that a client needs no second call. */
const withBalance = connectionSchema.extend({ currentBalance: dollarsSchema });
export type ConnectionWithBalance = z.infer<typeof withBalance>;

const capSchema = z.int().min(1).max(CAP_MEGABYTES_MAX);

/** `price` is the price that the user saw; if it has changed, the request is refused. Without `capMegabytes` there is no cap. */
export const connectBody = z.strictObject({ id: idSchema, price: dollarsSchema, capMegabytes: capSchema.optional() });
export type ConnectBody = z.infer<typeof connectBody>;

/**
 * An optional header of `connect` and `changePassword`: a repeated request with the same key returns the same connection, and neither
 * charges nor changes anything again.
 */
export const idempotencyKeySchema = z.string().min(1).max(200);

/** An address or a network on an allow-list, in canonical form. */
const listedNetworkSchema = z
  .string()
  .max(50)
  .refine(
    isListable,
    `must be an IP address, or a network of /${ALLOW_LIST_IPV4_PREFIX_BITS_MIN} (IPv6: /${ALLOW_LIST_IPV6_PREFIX_BITS_MIN}) or smaller`,
  )
  .overwrite((text) => parseNetwork(text)?.text ?? text);

/** Without duplicates. */
export const allowListSchema = z
  .array(listedNetworkSchema)
  .max(ALLOW_LIST_MAX)
  .overwrite((networks) => [...new Set(networks)]);

function isListable(text: string): boolean {
  const network = parseNetwork(text);
  if (!network) return false;
  const isIpv4 = network.family === 'ipv4';
  return network.prefixBits >= (isIpv4 ? ALLOW_LIST_IPV4_PREFIX_BITS_MIN : ALLOW_LIST_IPV6_PREFIX_BITS_MIN);
}

export const connect = endpoint({
  method: 'POST',
  url: '/v1/proxies/connections',
  access: 'user',
  summary: 'Buy a proxy: pay the first 50 MB and open the connection',
  body: connectBody,
  response: data(withBalance),
  status: 201,
  errors: [
    'SMALL_BALANCE',
    'ACCOUNT_BLOCKED',
    'PROXY_NOT_FOUND',
    'PRICE_CHANGED',
    'PROXY_BUSY',
    'IDEMPOTENCY_KEY_REUSED',
    'TOO_MANY_CONNECTIONS',
    'RATE_LIMITED',
  ],
});

export const disconnect = endpoint({
  method: 'POST',
  url: '/v1/proxies/connections/{id}/disconnect',
  access: 'user',
  summary: 'End a connection; within the refund window the unused part of the first 50 MB is refunded',
  params: idParams,
  response: data(withBalance),
  errors: ['NOT_FOUND', 'NOT_CONNECTED', 'RATE_LIMITED'],
});

/** For a user whose `disconnect` was RATE_LIMITED and who does not want to wait. */
export const disconnectWithoutRefund = endpoint({
  method: 'POST',
  url: '/v1/proxies/connections/{id}/disconnect-without-refund',
  access: 'user',
  summary: 'End a connection at once, without a refund',
  params: idParams,
  response: data(withBalance),
  errors: ['NOT_FOUND', 'NOT_CONNECTED'],
});

export const changePassword = endpoint({
  method: 'POST',
  url: '/v1/proxies/connections/{id}/credentials',
  access: 'user',
  summary: 'Replace the password of a connection; tunnels of the old password are closed',
  params: idParams,
  response: data(connectionSchema),
  errors: ['NOT_FOUND', 'NOT_CONNECTED'],
});

export const listConnections = endpoint({
  method: 'GET',
  url: '/v1/proxies/connections',
  access: 'user',
  summary: "The user's connections, newest first",
  query: z.strictObject({
    ...pageQuery,
    id: idSchema.optional(),
    /** Lists only open connections. */
    active: z.literal('true').optional(),
    /** A part of the IP address, label, city, region, ZIP code, ISP or country code. */
    search: z.string().max(CONNECTION_SEARCH_LENGTH_MAX).optional(),
  }),
  /** `balance`: of the user, at the moment of the shown costs. Absent without rows. */
  response: paged(connectionSchema).extend({ balance: dollarsSchema.optional() }),
});

/** Returns a file, not JSON of this API: the typed client returns its text. Connections whose password cannot be shown are left out. */
export const exportConnections = endpoint({
  method: 'GET',
  url: '/v1/proxies/connections/export',
  access: 'user',
  summary:
    "The user's open connections with their credentials as a file, newest first: host:port:user:password, CSV or JSON",
  query: z.strictObject({ format: z.enum(connectionFileFormats).default('txt') }),
  response: z.string(),
  isExport: true,
});

/** Changes only the given values, all of them or none. */
const changeConnectionBody = z
  .strictObject({
    /** Trimmed; an empty text removes it. Ended connections have one too. */
    label: z.string().trim().max(CONNECTION_LABEL_LENGTH_MAX).optional(),
    /** Null: no cap. */
    capMegabytes: capSchema.nullable().optional(),
    /** Replaces the whole list. */
    allowList: allowListSchema.optional(),
    /** The timer that changes the address; null: none. */
    rotateEveryMinutes: rotateEveryMinutesSchema.nullable().optional(),
  })
  .refine((body) => Object.keys(body).length > 0, 'must contain a value to change');
export type ConnectionChange = z.infer<typeof changeConnectionBody>;

export const changeConnection = endpoint({
  method: 'PATCH',
  url: '/v1/proxies/connections/{id}',
  access: 'user',
  summary: 'Change the label, the traffic cap, the allow-list or the timer of a connection',
  params: idParams,
  body: changeConnectionBody,
  response: data(connectionSchema),
  errors: ['NOT_FOUND', 'NOT_CONNECTED', 'CAP_USED_UP', 'ADDRESS_NOT_USED', 'NOT_ROTATABLE'],
});

const connectionAccessSchema = z.object({
  /** In canonical CIDR notation. Clients with these addresses need no password. */
  allowList: z.array(z.string()),
  /** The networks of the list that another open connection lists as well: until one of them removes it, their clients need a password. */
  collidingNetworks: z.array(z.string()),
  /** Addresses of clients that used the password in the last 30 days and are not on the list; the last used first. */
  recentAddresses: z.array(z.object({ address: z.string(), usedAt: dateSchema })).max(RECENT_ADDRESSES_MAX),
});
export type ConnectionAccess = z.infer<typeof connectionAccessSchema>;

export const getConnectionAccess = endpoint({
  method: 'GET',
  url: '/v1/proxies/connections/{id}/access',
  access: 'user',
  summary: 'The allow-list of a connection, and the client addresses that can be added to it',
  params: idParams,
  response: data(connectionAccessSchema),
  errors: ['NOT_FOUND'],
});
