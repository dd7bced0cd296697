import { AppError } from '@cellhop/contract/errors';
import { watch } from '@cellhop/contract/gateway';
import { LIVE_EVENTS_PATH } from '@cellhop/contract/live.values';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { createHash, timingSafeEqual } from 'node:crypto';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { PoolUsage } from '../db/db.ts';
import type { ConcurrencyUsage } from '../process/concurrency-limiter.ts';
import { useChainMetrics, type ChainFigures } from './chain-metrics.ts';
import { notFound } from './errors.ts';
import { bearerToken } from './route.ts';

/** Read whenever the metrics are collected. */
export interface MetricSources {
  poolUsage(): PoolUsage;
  figures(): Promise<Figures>;
  /** Since the process started. */
  browserErrors(): { logged: number; dropped: number };
  passwordHashes(): ConcurrencyUsage;
  tokenRefreshes(): ConcurrencyUsage;
  /** Long polls of gateways that wait for ending connections. */
  longPolls(): number;
}

/** Resources that clients can use up, and how often a limit was reached. */
function useLimitMetrics(app: FastifyInstance, registers: Registry[]): void {
  const { listeners, invalidTokenLimiter, downloads } = app;
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
    help: 'Requests in progress, streams included, by port',
    labelNames: ['port'],
    registers,
    collect() {
      for (const [port, { requestCount }] of Object.entries(listeners.sockets)) requests.set({ port }, requestCount);
    },
  });
  const unread = new Gauge({
    name: 'http_unread_bytes',
    help: 'Responses in memory that clients have not read yet, by port',
    labelNames: ['port'],
    registers,
    collect() {
      for (const [port, { unreadBytes }] of Object.entries(listeners.sockets)) unread.set({ port }, unreadBytes);
    },
  });
  const closed = new Counter({
    name: 'http_sockets_closed_total',
    help: 'Sockets closed because of a limit, by port and limit',
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
    help: 'Invalid tokens, and tokens refused without a check after too many invalid ones',
    labelNames: ['outcome'],
    registers,
    collect() {
      wrongTokens.reset();
      for (const [outcome, count] of Object.entries(invalidTokenLimiter.counts)) wrongTokens.inc({ outcome }, count);
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
  mailAgeSeconds: number;
  /** These two are undefined before the first check. */
  violationCount: number | undefined;
  reconciliationAgeSeconds: number | undefined;
  /** These three are undefined while SECRET_KEY has one key. */
  secretsToReseal: number | undefined;
  unreadableSecrets: number | undefined;
  recoveryCodesOfOlderKeys: number | undefined;
  freeDnsPorts: readonly { node: string; count: number }[];
  exits: readonly { node: string; health: string; count: number }[];
  chains: readonly ChainFigures[];
  isPegKept: boolean;
}

const figureGauges: { name: string; help: string; read: (figures: Figures) => number | undefined }[] = [
  {
    name: 'customer_money_dollars',
    help: 'Balances of customers, including escrow of open connections',
    read: (figures) => figures.customerDollars,
  },
  {
    name: 'held_money_dollars',
    help: 'Part of it that is held for unused grants of gateways',
    read: (figures) => figures.heldDollars,
  },
  { name: 'connections_open', help: 'Open connections', read: (figures) => figures.openConnections },
  { name: 'mail_oldest_seconds', help: 'Age of the oldest unsent mail', read: (figures) => figures.mailAgeSeconds },
  { name: 'jobs_failed', help: 'Permanently failed jobs', read: (figures) => figures.failedJobs },
  {
    name: 'reconciliation_ok',
    help: '1 if the last check of all invariants found no violation, else 0',
    read: ({ violationCount }) => (violationCount === undefined ? undefined : Number(violationCount === 0)),
  },
  {
    name: 'reconciliation_violations',
    help: 'Violations found by the last check',
    read: (figures) => figures.violationCount,
  },
  {
    name: 'reconciliation_age_seconds',
    help: 'Time since the last check',
    read: (figures) => figures.reconciliationAgeSeconds,
  },
  {
    name: 'usdt_peg_kept',
    help: '1 while USDT trades at one dollar, else 0: then payments in it are on hold',
    read: ({ isPegKept }) => Number(isPegKept),
  },
  {
    name: 'secrets_to_reseal',
    help: 'Stored secrets that may not be encrypted with the newest key of SECRET_KEY; absent while there is one key',
    read: (figures) => figures.secretsToReseal,
  },
  {
    name: 'secrets_unreadable',
    help: 'Stored secrets that no key of SECRET_KEY decrypts; absent while there is one key',
    read: (figures) => figures.unreadableSecrets,
  },
  {
    name: 'recovery_codes_of_older_keys',
    help: 'Unused recovery codes that stop working when the older keys are removed from SECRET_KEY; absent while there is one key',
    read: (figures) => figures.recoveryCodesOfOlderKeys,
  },
];

/** `/metrics` in the text format of Prometheus. Labels never contain users, connections or addresses. */
export function useMetrics(app: FastifyInstance, sources: MetricSources): void {
  const registry = new Registry();
  const registers = [registry];
  // Includes event loop lag and memory.
  collectDefaultMetrics({ register: registry });
  useRequestDuration(app, registers);
  useLimitMetrics(app, registers);
  const poolConnections = new Gauge({
    name: 'database_pool_connections',
    help: 'Database connections of this process; waiting: requests that wait for one',
    labelNames: ['state'],
    registers,
    collect() {
      for (const [state, count] of Object.entries(sources.poolUsage())) poolConnections.set({ state }, count);
    },
  });
  const browserErrors = new Counter({
    name: 'browser_errors_total',
    help: 'Errors reported by browsers; dropped: beyond the limit per minute',
    labelNames: ['outcome'],
    registers,
    collect() {
      browserErrors.reset();
      for (const [outcome, count] of Object.entries(sources.browserErrors())) browserErrors.inc({ outcome }, count);
    },
  });
  useConcurrencyMetric(registers, {
    name: 'password_hashes',
    help: 'Passwords that are hashed or compared; waiting: queued; refused: since the start, because the queue was full',
    usage: () => sources.passwordHashes(),
  });
  useConcurrencyMetric(registers, {
    name: 'token_refreshes',
    help: 'Token refreshes; waiting: queued; refused: since the start, because the queue was full',
    usage: () => sources.tokenRefreshes(),
  });
  useConcurrencyMetric(registers, {
    name: 'user_requests',
    help: 'Requests of signed-in users; waiting: until earlier ones of the same user end; refused: since the start, because too many waited',
    usage: () => app.shares.usage(),
  });
  const longPolls = new Gauge({
    name: 'gateway_calls_held',
    help: 'Long polls of gateways that wait for ending connections',
    registers,
    collect() {
      longPolls.set(sources.longPolls());
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
    help: 'Unassigned DNS ports, by node; without one, purchases get none',
    labelNames: ['node'],
    registers,
  });
  const exits = new Gauge({
    name: 'exits',
    help: 'Exits by node and health: only proxies of HEALTHY ones are for sale',
    labelNames: ['node', 'health'],
    registers,
  });
  const setChains = useChainMetrics(registers);
  return (figures) => {
    setChains(figures?.chains ?? []);
    for (const { gauge, read } of gauges) {
      const value = figures && read(figures);
      if (value === undefined) gauge.remove();
      else gauge.set(value);
    }
    freeDnsPorts.reset();
    for (const { node, count } of figures?.freeDnsPorts ?? []) freeDnsPorts.set({ node }, count);
    exits.reset();
    for (const { node, health, count } of figures?.exits ?? []) exits.set({ node, health }, count);
  };
}

function useRequestDuration(app: FastifyInstance, registers: Registry[]): void {
  const duration = new Histogram({
    name: 'http_request_seconds',
    help: 'Duration of requests',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers,
  });
  app.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? 'none';
    // Event streams and long polls last as long as their clients want.
    if (route === LIVE_EVENTS_PATH || route === watch.url) return;
    duration.observe({ method: request.method, route, status: String(reply.statusCode) }, reply.elapsedTime / 1000);
  });
}

function useConcurrencyMetric(
  registers: Registry[],
  { name, help, usage }: { name: string; help: string; usage: () => ConcurrencyUsage },
): void {
  const gauge = new Gauge({
    name,
    help,
    labelNames: ['state'],
    registers,
    collect() {
      for (const [state, count] of Object.entries(usage())) gauge.set({ state }, count);
    },
  });
}

/**
 * The metrics reveal how much money customers have. If METRICS_TOKEN is set, it is required. Without it they are public in
 * development, and do not exist in production.
 * @throws AppError NOT_FOUND, UNAUTHORIZED, RATE_LIMITED
 */
async function checkReader({ ctx, invalidTokenLimiter }: FastifyInstance, request: FastifyRequest): Promise<void> {
  const { isDevelopment, metricsToken } = ctx.config;
  if (metricsToken === undefined) {
    if (!isDevelopment) throw notFound(request);
    return;
  }
  const given = bearerToken(request);
  await invalidTokenLimiter.check(request.networks, given, async () => {
    if (!timingSafeEqual(digest(given ?? ''), digest(metricsToken))) throw new AppError('UNAUTHORIZED');
  });
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
