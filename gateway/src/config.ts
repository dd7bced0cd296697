import { portRangeSchema } from '@cellhop/contract/network';
import { BYTES_PER_MEGABYTE } from '@cellhop/contract/limits';
import { isIP } from 'node:net';
import { z } from 'zod';

const isTrue = z.enum(['true', 'false']).transform((text) => text === 'true');
const port = z.coerce.number().int().min(1).max(65_535);

const addressList = (text: string) => text.split(',').map((item) => item.trim());

const nameServers = z
  .string()
  .transform(addressList)
  .refine((list) => list.every((item) => isIP(item.replace(/^\[?([^\]]*?)\]?(?::\d+)?$/, '$1')) || isIP(item)), {
    message: 'must be addresses, separated by commas',
  });

const addresses = z
  .string()
  .transform(addressList)
  .refine((list) => list.every((item) => isIP(item)), { message: 'must be addresses, separated by commas' });

const environmentSchema = z
  .object({
    NODE_ENV: z.string().default('development'),
    LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
    GATEWAY_HOST: z.string().min(1).default('127.0.0.1'),
    GATEWAY_LISTEN_HOST: z.string().min(1).optional(),
    GATEWAY_PORT: port.default(1080),
    GATEWAY_DNS_PORTS: portRangeSchema.default({ first: 20_000, last: 20_999 }),
    GATEWAY_UDP_PORTS: portRangeSchema.default({ first: 21_000, last: 29_999 }),
    GATEWAY_PUBLIC_ADDRESSES: addresses.default([]),
    GATEWAY_CONTROL_URL: z.url({ protocol: /^https?$/ }),
    GATEWAY_TOKEN: z.string().min(1),
    GATEWAY_ALLOW_PRIVATE: isTrue.default(false),
    GATEWAY_METRICS_PORT: port.optional(),
    GATEWAY_NAME_SERVERS: nameServers.optional(),
    GATEWAY_LOGIN_FAILURES_PER_MINUTE: z.coerce.number().int().nonnegative().default(20),
    GATEWAY_GRANT_MEGABYTES_MAX: z.coerce.number().int().min(1).max(4096).default(256),
    EXIT_LOST_SECONDS: z.coerce.number().nonnegative().max(86_400).default(30),
    GATEWAY_DRAIN_SECONDS: z.coerce.number().nonnegative().max(3600).default(60),
  })
  .refine(({ NODE_ENV, GATEWAY_NAME_SERVERS }) => NODE_ENV !== 'production' || GATEWAY_NAME_SERVERS !== undefined, {
    path: ['GATEWAY_NAME_SERVERS'],
    message:
      'is required in production: those of this host may know names of its own network, which are not for customers',
  });

export type Config = ReturnType<typeof parseConfig>;

/** @throws Error with one line per missing or invalid setting; it never contains values, which may be secret */
export function parseConfig(environment: NodeJS.ProcessEnv) {
  // Shells and compose files often pass an unset variable as an empty string.
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  const parsed = environmentSchema.safeParse(given);
  if (!parsed.success) throw new Error(parsed.error.issues.map(describe).join('\n'));
  const settings = parsed.data;
  return {
    isDevelopment: settings.NODE_ENV !== 'production',
    logLevel: settings.LOG_LEVEL,
    host: settings.GATEWAY_LISTEN_HOST ?? settings.GATEWAY_HOST,
    port: settings.GATEWAY_PORT,
    dnsPorts: settings.GATEWAY_DNS_PORTS,
    udpPorts: settings.GATEWAY_UDP_PORTS,
    publicAddresses: settings.GATEWAY_PUBLIC_ADDRESSES,
    controlUrl: settings.GATEWAY_CONTROL_URL,
    token: settings.GATEWAY_TOKEN,
    allowPrivate: settings.GATEWAY_ALLOW_PRIVATE,
    metricsPort: settings.GATEWAY_METRICS_PORT,
    nameServers: settings.GATEWAY_NAME_SERVERS,
    limits: {
      loginFailuresPerMinute: settings.GATEWAY_LOGIN_FAILURES_PER_MINUTE,
      exitLostMs: settings.EXIT_LOST_SECONDS * 1000,
      wantedBytesMax: settings.GATEWAY_GRANT_MEGABYTES_MAX * BYTES_PER_MEGABYTE,
    },
    drainMs: settings.GATEWAY_DRAIN_SECONDS * 1000,
  };
}

const describe = ({ path, message }: { path: PropertyKey[]; message: string }) => `${path.join('.')}: ${message}`;
