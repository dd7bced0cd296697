/** What is looked at before anything else of a request: is it one request, and does its network ask too often or too much? */
import { AppError } from '@cellhop/contract/errors';
import { LIVE_EVENTS_PATH } from '@cellhop/contract/live';
import { clientNetwork } from '@cellhop/contract/network';
import rateLimit from '@fastify/rate-limit';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { notFound } from './errors.ts';
import { InProgress } from './in-progress.ts';
import type { Listeners } from './listeners.ts';

/** More networks than these in one minute push out the one that has been silent longest. */
const NETWORKS_KEPT = 50_000;
const RETRY_SECONDS = 1;
/** What programs are answered is never kept by a cache; a route that thinks otherwise says so itself. */
const FOR_PROGRAMS = /^\/(?:v1|internal|dev|health|metrics)(?:\/|$)/;

declare module 'fastify' {
  interface FastifyRequest {
    /** Of the client, behind a trusted proxy of the one that it reports. */
    network: string;
  }
}

/** Its hook goes before those of all routes, so a request counts before its token is looked at. */
export async function useAdmission(app: FastifyInstance, listeners: Listeners): Promise<void> {
  const { config } = app.ctx;
  const inProgress = {
    everybody: new InProgress(config.socketsPerNetwork),
    streams: new InProgress(config.socketsPerNetwork),
    nodes: new InProgress(config.socketsPerNetwork),
  };
  app.decorateRequest('network', '');
  app.addHook('onRequest', async (request, reply) => {
    const path = request.routeOptions.url;
    request.network = clientNetwork(request.ip);
    if (path !== undefined && FOR_PROGRAMS.test(path)) void reply.header('cache-control', 'no-store');
    refuseAmbiguousHost(request);
    if (!listeners.serves(request.raw.socket, path)) throw notFound(request);
    listeners.noteForwarding(request);
  });
  await app.register(rateLimit, {
    global: false,
    cache: NETWORKS_KEPT,
    timeWindow: '1 minute',
    max: (request) => (kindOf(request) === 'nodes' ? config.nodeRequestsPerMinute : config.requestsPerMinute),
    // Customers cannot use up what gateways need, nor the other way round.
    keyGenerator: (request) => (kindOf(request) === 'nodes' ? `nodes ${request.network}` : request.network),
    allowList: (request) => kindOf(request) === 'probe',
  });
  app.addHook('onRequest', app.rateLimit());
  app.addHook('onRequest', async (request, reply) => {
    const kind = kindOf(request);
    if (kind === 'probe') return;
    const { network } = request;
    if (!inProgress[kind].begin(network)) throw AppError.rateLimited(RETRY_SECONDS);
    listeners.whenOver(reply.raw, () => inProgress[kind].end(network));
  });
}

/** A probe must not fail because others ask much; and streams, which stay, must not take the place of requests that end. */
function kindOf({ routeOptions: { url = '' } }: FastifyRequest): 'everybody' | 'streams' | 'nodes' | 'probe' {
  if (url.startsWith('/internal/')) return 'nodes';
  if (url.startsWith('/health/')) return 'probe';
  return url === LIVE_EVENTS_PATH ? 'streams' : 'everybody';
}

/**
 * Of two `Host` fields a proxy may believe the one and we the other (RFC 9112, section 3.2).
 * @throws AppError VALIDATION
 */
function refuseAmbiguousHost({ raw }: FastifyRequest): void {
  const hosts = raw.rawHeaders.filter((text, index) => index % 2 === 0 && text.toLowerCase() === 'host').length;
  const isOptional = raw.httpVersion === '1.0';
  if (hosts > 1 || (hosts === 0 && !isOptional))
    throw AppError.validation([{ path: 'headers.host', message: 'must be there once' }]);
}
