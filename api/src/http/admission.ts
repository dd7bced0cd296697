/** The first checks of each request: a valid Host header, rate limits and concurrency limits per network. */
import { AppError } from '@cellhop/contract/errors';
import { echo } from '@cellhop/contract/exit-checks';
import { LIVE_EVENTS_PATH } from '@cellhop/contract/live.values';
import { canonicalAddress, clientNetworks, networkLimits } from '@cellhop/contract/network';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { notFound } from './errors.ts';
import { readForwardedFor } from './forwarded-for.ts';
import { RequestsPerMinute } from './requests-per-minute.ts';
import { InProgress } from './in-progress.ts';
import type { Listeners } from './listeners.ts';

/** Requests for the echo of one network: a provider's proxies may all leave from one address, each once a minute. */
const ECHOES_PER_MINUTE = 6000;
const RETRY_SECONDS = 1;
const WARNING_INTERVAL_MS = 60_000;
const LOGGED_LENGTH = 200;
/** Begins what stands for an address that is not known. */
const UNKNOWN = 'unknown ';
/** Responses under these paths are not cached, unless the route sets another header. */
const UNCACHED_PATHS = /^\/(?:v1|internal|dev|health|metrics)(?:\/|$)/;

declare module 'fastify' {
  interface FastifyRequest {
    /** Networks of the client, the widest first; behind a trusted proxy, of the address that the proxy reports. */
    networks: readonly string[];
  }
}

/** Registered before all routes, so a request is counted before its token is checked. */
export function useAdmission(app: FastifyInstance, listeners: Listeners): void {
  const { config } = app.ctx;
  const inProgress = {
    everybody: new InProgress(),
    streams: new InProgress(),
    nodes: new InProgress(),
    echoes: new InProgress(),
  };
  const ofCustomers = new RequestsPerMinute();
  // Separate, so customers cannot starve gateways and checks of exits, nor the other way round.
  const perMinute = {
    everybody: ofCustomers,
    streams: ofCustomers,
    nodes: new RequestsPerMinute(),
    echoes: new RequestsPerMinute(),
  };
  const requestsPerMinute = {
    everybody: config.requestsPerMinute,
    streams: config.requestsPerMinute,
    nodes: config.nodeRequestsPerMinute,
    echoes: ECHOES_PER_MINUTE,
  };
  let warnedAt = -Infinity;
  const warnOfProxy = ({ headers, raw, log }: FastifyRequest) => {
    const { remoteAddress } = raw.socket;
    // A socket that was reset has no address either.
    if (remoteAddress === undefined || performance.now() - warnedAt < WARNING_INTERVAL_MS) return;
    warnedAt = performance.now();
    const forwardedFor = String(headers['x-forwarded-for']).slice(0, LOGGED_LENGTH);
    log.warn(
      { proxy: remoteAddress, forwardedFor },
      'a trusted proxy sends no address: limits by network are not applied',
    );
  };
  app.decorateRequest('networks');
  app.addHook('onRequest', async (request, reply) => {
    const path = request.routeOptions.url;
    const forwardedFor = request.headers['x-forwarded-for'];
    if (typeof forwardedFor === 'string') request.headers['x-forwarded-for'] = readForwardedFor(forwardedFor);
    const address = clientAddress(request);
    request.networks = clientNetworks(address);
    if (address.startsWith(UNKNOWN)) warnOfProxy(request);
    if (path !== undefined && UNCACHED_PATHS.test(path)) void reply.header('cache-control', 'no-store');
    requireSingleHost(request);
    if (!listeners.serves(request.raw.socket, path)) throw notFound(request);
    listeners.markForwarding(request);
  });
  app.addHook('onRequest', async (request, reply) => {
    const kind = requestKind(request);
    if (kind === 'probe') return;
    const allowance = perMinute[kind].count(networkLimits(request.networks, requestsPerMinute[kind]));
    const seconds = Math.ceil((allowance.endsAt - Date.now()) / 1000);
    void reply.header('x-ratelimit-limit', allowance.limit);
    void reply.header('x-ratelimit-remaining', Math.max(0, allowance.remaining));
    void reply.header('x-ratelimit-reset', seconds);
    if (allowance.remaining < 0) throw AppError.rateLimited(seconds);
    const owners = networkLimits(request.networks, config.socketsPerNetwork);
    if (!inProgress[kind].begin(owners)) throw AppError.rateLimited(RETRY_SECONDS);
    listeners.onceClosed(reply.raw, () => inProgress[kind].end(owners));
  });
}

/**
 * Canonical. Undefined addresses, of a socket that was reset or a proxy that sends none, get a name that no other request has: otherwise
 * all customers behind that proxy would share one limit.
 */
export function clientAddress(request: FastifyRequest): string {
  const ip: string | undefined = request.ip;
  return canonicalAddress(ip ?? '') ?? `${UNKNOWN}${request.id}`;
}

/** Health probes are not limited. Long-lived streams are counted separately from other requests. */
function requestKind({
  routeOptions: { url = '' },
}: FastifyRequest): 'everybody' | 'streams' | 'nodes' | 'echoes' | 'probe' {
  if (url.startsWith('/internal/')) return 'nodes';
  if (url === echo.url) return 'echoes';
  if (url.startsWith('/health/')) return 'probe';
  return url === LIVE_EVENTS_PATH ? 'streams' : 'everybody';
}

/**
 * With two `Host` headers a proxy and this server might use different ones (RFC 9112, section 3.2).
 * @throws AppError VALIDATION
 */
function requireSingleHost({ raw }: FastifyRequest): void {
  const hosts = raw.rawHeaders.filter((text, index) => index % 2 === 0 && text.toLowerCase() === 'host').length;
  const isOptional = raw.httpVersion === '1.0';
  if (hosts > 1 || (hosts === 0 && !isOptional))
    throw AppError.validation([{ path: 'headers.host', message: 'must be given exactly once' }]);
}
