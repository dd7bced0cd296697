import {
  type Environment,
  hostSchema,
  logLevelSchema,
  orProblem,
  portSchema,
  readEnvironment,
  type Setting,
  urlSchema,
} from '@cellhop/contract/environment';
import { canonicalAddress, isPrivateHost, portRangeSchema } from '@cellhop/contract/network';
import { BYTES_PER_MEGABYTE } from '@cellhop/contract/limits';
import { isIP } from 'node:net';
import os from 'node:os';
import { z } from 'zod';
import { parseAuthority, parseHost, type Target } from './protocol/host.ts';

const isTrue = z.enum(['true', 'false']).transform((text) => text === 'true');
const port = portSchema.min(1);
const seconds = (max: number) => z.coerce.number().nonnegative().max(max);

/** Large ones that hardly any network blocks. */
const CHECK_DESTINATIONS = 'www.apple.com:443,www.microsoft.com:443';

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

function parseTargets(text: string): Target[] {
  return (text === 'none' ? [] : addressList(text)).map((item) => {
    const target = parseAuthority(item);
    if (!target) throw new Error('must be like example.com:443, separated by commas, or none');
    return target;
  });
}

function parseTarget(text: string): Target {
  const target = parseAuthority(text);
  if (!target) throw new Error('must be like stun.example.com:3478');
  return target;
}

function parseName(text: string): string {
  const host = parseHost(text);
  if (host?.kind !== 'name') throw new Error('must be the name of a host');
  return host.name;
}

/** Other text is refused by itself. */
function isConfidential(text: string): boolean {
  const url = URL.parse(text);
  if (url?.protocol !== 'http:' || isPrivateHost(url.hostname)) return true;
  const own = Object.values(os.networkInterfaces()).flatMap((each) => each?.map(({ address }) => address) ?? []);
  return own.includes(canonicalAddress(url.hostname.replace(/^\[|\]$/g, '')) ?? '');
}

export type Config = ReturnType<typeof parseConfig>;

/** @throws Error with one line per missing or invalid setting; it never contains values, which may be secret */
export function parseConfig(variables: NodeJS.ProcessEnv, onRead?: (setting: Setting) => void) {
  return readEnvironment(variables, readAll, onRead);
}

function readAll({ read }: Environment) {
  const isDevelopment = read('NODE_ENV', z.string().optional()) !== 'production';
  const neededHost = hostSchema
    .optional()
    .refine((host) => isDevelopment || host !== undefined, 'is required in production: customers connect to it');
  const publicHost = read('GATEWAY_HOST', neededHost) ?? '127.0.0.1';
  return {
    isDevelopment,
    logLevel: read('LOG_LEVEL', logLevelSchema),
    host: read('GATEWAY_LISTEN_HOST', hostSchema.default(publicHost)),
    port: read('GATEWAY_PORT', port.default(1080)),
    dnsPorts: read('GATEWAY_DNS_PORTS', portRangeSchema.default({ first: 20_000, last: 20_999 })),
    udpPorts: read('GATEWAY_UDP_PORTS', portRangeSchema.default({ first: 21_000, last: 29_999 })),
    publicAddresses: read('GATEWAY_PUBLIC_ADDRESSES', addresses.default([])),
    controlUrl: read(
      'GATEWAY_CONTROL_URL',
      urlSchema(/^https?:$/, 'https://shop.example.com')
        .refine((text) => !text.includes('?'), 'must have no query')
        .refine(
          isConfidential,
          'must have https: http shows the token of this node to everybody on the way, but for this machine and private networks. An API without https is reached through a tunnel',
        ),
    ),
    checkDestinations: read(
      'GATEWAY_CHECK_DESTINATIONS',
      z
        .string()
        .prefault(isDevelopment ? 'none' : CHECK_DESTINATIONS)
        .transform(orProblem(parseTargets)),
    ),
    stunServer: read('GATEWAY_STUN_SERVER', z.string().transform(orProblem(parseTarget)).optional()),
    whoamiName: read('GATEWAY_WHOAMI_NAME', z.string().transform(orProblem(parseName)).optional()),
    token: read('GATEWAY_TOKEN', z.string()),
    allowPrivate: read('GATEWAY_ALLOW_PRIVATE', isTrue.default(false)),
    tls: {
      certificate: read('GATEWAY_TLS_CERTIFICATE', z.string().optional()),
      key: read('GATEWAY_TLS_KEY', z.string().optional()),
      host: read('GATEWAY_HOST', hostSchema.optional()),
    },
    isAccelerated: read('GATEWAY_ACCELERATOR', z.enum(['on', 'off']).default('on')) === 'on',
    metricsPort: read('GATEWAY_METRICS_PORT', port.optional()),
    nameServers: read(
      'GATEWAY_NAME_SERVERS',
      nameServers.optional().refine((list) => isDevelopment || list !== undefined, {
        message:
          'is required in production: those of this host may know names of its own network, which are not for customers',
      }),
    ),
    limits: {
      loginFailuresPerMinute: read(
        'GATEWAY_LOGIN_FAILURES_PER_MINUTE',
        z.coerce.number().int().nonnegative().default(20),
      ),
      exitLostMs: read('EXIT_LOST_SECONDS', seconds(86_400).default(30)) * 1000,
      wantedBytesMax:
        read('GATEWAY_GRANT_MEGABYTES_MAX', z.coerce.number().int().min(1).max(4096).default(256)) * BYTES_PER_MEGABYTE,
    },
    drainMs: read('GATEWAY_DRAIN_SECONDS', seconds(3600).default(60)) * 1000,
  };
}
