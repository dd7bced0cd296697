import { AppError } from '@cellhop/contract/errors';
import { LIVE_EVENTS_PATH } from '@cellhop/contract/live';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { createHash, timingSafeEqual } from 'node:crypto';
import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { PoolUse } from '../db.ts';
import type { TurnsUse } from '../turns.ts';
import { notFound } from './errors.ts';
import { bearerToken } from './route.ts';

/** What is asked when somebody reads the metrics. */
export interface MetricSources {
  poolUse(): PoolUse;
  figures(): Promise<Figures>;
  passwordHashes(): TurnsUse;
}

interface Figures {
  customerDollars: number;
  heldDollars: number;
  openConnections: number;
  /** The two of the last check are undefined before it. */
  violationCount: number | undefined;
  reconciliationAgeSeconds: number | undefined;
  /** These three are undefined while SECRET_KEY has one key alone. */
  secretsToReseal: number | undefined;
  unreadableSecrets: number | undefined;
  recoveryCodesOfOlderKeys: number | undefined;
}

const figureGauges: { name: string; help: string; read: (figures: Figures) => number | undefined }[] = [
  {
    name: 'customer_money_dollars',
    help: 'What customers have, with what is in escrow for open connections',
    read: (figures) => figures.customerDollars,
  },
  {
    name: 'held_money_dollars',
    help: 'Of it, promised to gateways as grants and not used yet',
    read: (figures) => figures.heldDollars,
  },
  { name: 'connections_open', help: 'Connections that are open', read: (figures) => figures.openConnections },
  {
    name: 'reconciliation_ok',
    help: '1 if all money added up when it was last checked, else 0',
    read: ({ violationCount }) => (violationCount === undefined ? undefined : Number(violationCount === 0)),
  },
  {
    name: 'reconciliation_violations',
    help: 'What did not add up then',
    read: (figures) => figures.violationCount,
  },
  {
    name: 'reconciliation_age_seconds',
    help: 'Time since that check',
    read: (figures) => figures.reconciliationAgeSeconds,
  },
  {
    name: 'secrets_to_reseal',
    help: 'Stored secrets that are not known to be sealed with the newest key of SECRET_KEY; absent while there is one',
    read: (figures) => figures.secretsToReseal,
  },
  {
    name: 'secrets_unreadable',
    help: 'Stored secrets that no key of SECRET_KEY opens; absent while there is one',
    read: (figures) => figures.unreadableSecrets,
  },
  {
    name: 'recovery_codes_of_older_keys',
    help: 'Unused recovery codes that stop working when the older keys leave SECRET_KEY; absent while there is one',
    read: (figures) => figures.recoveryCodesOfOlderKeys,
  },
];

/** `/metrics` in the text format of Prometheus. No label holds a user, a connection or an address. */
export function useMetrics(app: FastifyInstance, sources: MetricSources): void {
  const registry = new Registry();
  const registers = [registry];
  // The event loop's lag and the process's memory are among them.
  collectDefaultMetrics({ register: registry });
  const duration = new Histogram({
    name: 'http_request_seconds',
    help: 'Time to answer a request',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers,
  });
  app.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? 'none';
    // It lasts as long as its reader stays.
    if (route === LIVE_EVENTS_PATH) return;
    duration.observe({ method: request.method, route, status: String(reply.statusCode) }, reply.elapsedTime / 1000);
  });

  const poolConnections = new Gauge({
    name: 'database_pool_connections',
    help: 'Connections of this process to the database; waiting: requests that wait for one',
    labelNames: ['state'],
    registers,
    collect() {
      for (const [state, count] of Object.entries(sources.poolUse())) poolConnections.set({ state }, count);
    },
  });
  const passwordHashes = new Gauge({
    name: 'password_hashes',
    help: 'Passwords that are hashed or compared; waiting: those in line; refused: since the start, because the line was full',
    labelNames: ['state'],
    registers,
    collect() {
      for (const [state, count] of Object.entries(sources.passwordHashes())) passwordHashes.set({ state }, count);
    },
  });
  const gauges = figureGauges.map((figure) => ({
    ...figure,
    gauge: new Gauge({ name: figure.name, help: figure.help, registers }),
  }));
  app.get('/metrics', { schema: { hide: true } }, async (request, reply) => {
    checkReader(request, app.ctx.config);
    // While the database is away, the process's own figures are what one looks for.
    const figures = await sources.figures().catch(() => undefined);
    for (const { gauge, read } of gauges) {
      const value = figures && read(figures);
      if (value === undefined) gauge.remove();
      else gauge.set(value);
    }
    return reply.type(registry.contentType).send(await registry.metrics());
  });
}

interface ReaderRules {
  isDevelopment: boolean;
  metricsToken: string | undefined;
}

/**
 * They tell how much money customers have. With a token set, it is needed; without one they are open on a developer's
 * machine, and in production they do not exist.
 * @throws AppError NOT_FOUND, UNAUTHORIZED
 */
function checkReader(request: FastifyRequest, { isDevelopment, metricsToken }: ReaderRules): void {
  if (metricsToken === undefined) {
    if (!isDevelopment) throw notFound(request);
    return;
  }
  const given = bearerToken(request) ?? '';
  if (!timingSafeEqual(digest(given), digest(metricsToken))) throw new AppError('UNAUTHORIZED');
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
