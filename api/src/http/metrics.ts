import { AppError } from '@cellhop/contract/errors';
import { watch } from '@cellhop/contract/gateway';
import { LIVE_EVENTS_PATH } from '@cellhop/contract/live';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { createHash, timingSafeEqual } from 'node:crypto';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { PoolUse } from '../db.ts';
import type { TurnsUse } from '../turns.ts';
import { notFound } from './errors.ts';
import { bearerToken } from './route.ts';

/** What is asked when somebody reads the metrics. */
export interface MetricSources {
  poolUse(): PoolUse;
  figures(): Promise<Figures>;
  /** Since the process started. */
  browserErrors(): { logged: number; dropped: number };
  passwordHashes(): TurnsUse;
  tokenRefreshes(): TurnsUse;
  /** Calls of gateways that wait for connections to end. */
  heldCalls(): number;
}

/** What is bounded because strangers can make it grow, and how often a bound was met. */
function useBoundMetrics(app: FastifyInstance, registers: Registry[]): void {
  const { listeners, tokenGuesses, downloads } = app;
  const sockets = new Gauge({
    name: 'http_sockets',
    help: 'Open sockets by port',
    labelNames: ['port'],
    registers,
    collect() {
      for (const [port, { count }] of Object.entries(listeners.sockets)) sockets.set({ port }, count);
    },
  });
  const requests = new Gauge({
    name: 'http_requests_in_progress',
    help: 'Requests that have begun and are not answered yet, streams included, by port',
    labelNames: ['port'],
    registers,
    collect() {
      for (const [port, { requestCount }] of Object.entries(listeners.sockets)) requests.set({ port }, requestCount);
    },
  });
  const unread = new Gauge({
    name: 'http_unread_bytes',
    help: 'Answers in memory that clients have not read yet, by port',
    labelNames: ['port'],
    registers,
    collect() {
      for (const [port, { unreadBytes }] of Object.entries(listeners.sockets)) unread.set({ port }, unreadBytes);
    },
  });
  const closed = new Counter({
    name: 'http_sockets_closed_total',
    help: 'Sockets closed because there were too many, by port and the bound that was met',
    labelNames: ['port', 'bound'],
    registers,
    collect() {
      closed.reset();
      for (const [port, guarded] of Object.entries(listeners.sockets))
        for (const [bound, count] of Object.entries(guarded.closed)) closed.inc({ port, bound }, count);
    },
  });
  const wrongTokens = new Counter({
    name: 'wrong_tokens_total',
    help: 'Tokens that were wrong, and those that were not looked at after too many',
    labelNames: ['outcome'],
    registers,
    collect() {
      wrongTokens.reset();
      for (const [outcome, count] of Object.entries(tokenGuesses.counts)) wrongTokens.inc({ outcome }, count);
    },
  });
  const running = new Gauge({
    name: 'downloads_running',
    help: 'Exports that are being read',
    registers,
    collect() {
      running.set(downloads.count);
    },
  });
}

interface Figures {
  customerDollars: number;
  heldDollars: number;
  openConnections: number;
  failedJobs: number;
  /** The two of the last check are undefined before it. */
  violationCount: number | undefined;
  reconciliationAgeSeconds: number | undefined;
  /** These three are undefined while SECRET_KEY has one key alone. */
  secretsToReseal: number | undefined;
  unreadableSecrets: number | undefined;
  recoveryCodesOfOlderKeys: number | undefined;
  freeDnsPorts: readonly { node: string; count: number }[];
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
  { name: 'jobs_failed', help: 'Jobs that failed for good', read: (figures) => figures.failedJobs },
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
    // They last as long as their readers stay.
    if (route === LIVE_EVENTS_PATH || route === watch.url) return;
    duration.observe({ method: request.method, route, status: String(reply.statusCode) }, reply.elapsedTime / 1000);
  });

  useBoundMetrics(app, registers);
  const poolConnections = new Gauge({
    name: 'database_pool_connections',
    help: 'Connections of this process to the database; waiting: requests that wait for one',
    labelNames: ['state'],
    registers,
    collect() {
      for (const [state, count] of Object.entries(sources.poolUse())) poolConnections.set({ state }, count);
    },
  });
  const browserErrors = new Counter({
    name: 'browser_errors_total',
    help: 'Errors that browsers have reported; dropped: beyond what is logged in a minute',
    labelNames: ['outcome'],
    registers,
    collect() {
      browserErrors.reset();
      for (const [outcome, count] of Object.entries(sources.browserErrors())) browserErrors.inc({ outcome }, count);
    },
  });
  useTurnsMetric(registers, {
    name: 'password_hashes',
    help: 'Passwords that are hashed or compared; waiting: those in line; refused: since the start, because the line was full',
    use: () => sources.passwordHashes(),
  });
  useTurnsMetric(registers, {
    name: 'token_refreshes',
    help: 'Refreshes of tokens; waiting: those in line; refused: since the start, because the line was full',
    use: () => sources.tokenRefreshes(),
  });
  const heldCalls = new Gauge({
    name: 'gateway_calls_held',
    help: 'Calls of gateways that wait for connections to end',
    registers,
    collect() {
      heldCalls.set(sources.heldCalls());
    },
  });
  const setFigures = useFigureMetrics(registers);
  app.get('/metrics', { schema: { hide: true } }, async (request, reply) => {
    await checkReader(app, request);
    // While the database is away, the process's own figures are what one looks for.
    setFigures(await sources.figures().catch(() => undefined));
    return reply.type(registry.contentType).send(await registry.metrics());
  });
}

/** @returns sets what was read; undefined: it could not be */
function useFigureMetrics(registers: Registry[]): (figures: Figures | undefined) => void {
  const gauges = figureGauges.map((figure) => ({
    ...figure,
    gauge: new Gauge({ name: figure.name, help: figure.help, registers }),
  }));
  const freeDnsPorts = new Gauge({
    name: 'dns_ports_free',
    help: 'DNS ports that no connection has, by node; while there is none, purchases get none',
    labelNames: ['node'],
    registers,
  });
  return (figures) => {
    for (const { gauge, read } of gauges) {
      const value = figures && read(figures);
      if (value === undefined) gauge.remove();
      else gauge.set(value);
    }
    freeDnsPorts.reset();
    for (const { node, count } of figures?.freeDnsPorts ?? []) freeDnsPorts.set({ node }, count);
  };
}

function useTurnsMetric(
  registers: Registry[],
  { name, help, use }: { name: string; help: string; use: () => TurnsUse },
): void {
  const gauge = new Gauge({
    name,
    help,
    labelNames: ['state'],
    registers,
    collect() {
      for (const [state, count] of Object.entries(use())) gauge.set({ state }, count);
    },
  });
}

/**
 * They tell how much money customers have. With a token set, it is needed; without one they are open on a developer's
 * machine, and in production they do not exist.
 * @throws AppError NOT_FOUND, UNAUTHORIZED, RATE_LIMITED
 */
async function checkReader({ ctx, tokenGuesses }: FastifyInstance, request: FastifyRequest): Promise<void> {
  const { isDevelopment, metricsToken } = ctx.config;
  if (metricsToken === undefined) {
    if (!isDevelopment) throw notFound(request);
    return;
  }
  const given = bearerToken(request);
  await tokenGuesses.check(request.network, given, async () => {
    if (!timingSafeEqual(digest(given ?? ''), digest(metricsToken))) throw new AppError('UNAUTHORIZED');
  });
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
