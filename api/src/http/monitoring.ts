import type { FastifyInstance } from 'fastify';
import { findClockProblem } from '../db/clock.ts';
import { countFailed, mailAgeSeconds } from '../jobs/jobs.ts';
import { passwordHashUsage } from '../modules/auth/passwords.ts';
import { refreshUsage } from '../modules/auth/sessions.service.ts';
import { countByHealth } from '../modules/gateway/exit-checks.service.ts';
import { countFreeDnsPorts, gatewaySilenceMs } from '../modules/gateway/gateway.service.ts';
import { isPegKept, readChainFigures } from '../modules/invoices/chain-overview.service.ts';
import { readKeyFigures } from '../modules/key-rotation/key-rotation.service.ts';
import { Mismatch, requireMatch } from '../modules/installation/installation.service.ts';
import { readFigures } from '../modules/reconciliation/reconciliation.service.ts';
import { useMetrics } from './metrics.ts';

/** Time limit of the health check's statements. */
const PING_LIMIT_MS = 1000;

/** Health checks and metrics, with what the modules report. */
export function monitoringRoutes(app: FastifyInstance): void {
  const { ctx } = app;
  useHealth(app, {
    database: async () => {
      const limit = { responseTimeoutMs: PING_LIMIT_MS };
      await requireMatch(ctx, limit);
      const problem = await findClockProblem(ctx, limit);
      if (problem !== undefined) throw new Mismatch(problem);
    },
    gatewaySilenceMs: () => gatewaySilenceMs(ctx),
  });
  useMetrics(app, {
    poolUsage: () => ctx.poolUsage(),
    passwordHashes: passwordHashUsage,
    tokenRefreshes: refreshUsage,
    figures: async () => ({
      ...(await readFigures(ctx)),
      ...(await readKeyFigures(ctx)),
      chains: await readChainFigures(ctx),
      isPegKept: await isPegKept(ctx),
      freeDnsPorts: await countFreeDnsPorts(ctx),
      exits: await countByHealth(ctx),
      failedJobs: await countFailed(ctx),
      mailAgeSeconds: await mailAgeSeconds(ctx),
    }),
    browserErrors: () => app.browserErrors.counts,
    longPolls: () => app.longPolls.size,
  });
}

interface HealthChecks {
  /** Rejects while the database does not respond, and with a Mismatch while this program may not run on it. */
  database(): Promise<unknown>;
  /** Milliseconds since the last report of any gateway; undefined if there was none. */
  gatewaySilenceMs(): Promise<number | undefined>;
}

interface Health {
  database: 'ok' | 'away' | 'refused';
  gateway: 'ok' | 'away';
  /** Why the database is refused. */
  reason?: string;
}

const GATEWAY_SILENCE_LIMIT_MS = 10_000;
/** Load balancers probe every few seconds and take a missing response as a failure. */
const CHECK_LIMIT_MS = 1500;

/** Liveness and readiness probes. They are not part of the contract. */
function useHealth(app: FastifyInstance, checks: HealthChecks): void {
  let running: Promise<Health> | undefined;
  // Concurrent requests share one check: the endpoint is public, and each check takes a database connection.
  const checkOnce = () =>
    (running ??= check(checks).finally(() => {
      running = undefined;
    }));
  app.get('/health/live', { schema: { hide: true } }, async () => ({ status: 'ok' }));
  app.get('/health/ready', { schema: { hide: true } }, async (_request, reply) => {
    const health = await withTimeout<Health>(CHECK_LIMIT_MS, checkOnce(), { database: 'away', gateway: 'away' });
    // The API works without a gateway, so a silent one is reported but does not make the API unready.
    return reply
      .code(health.database === 'ok' ? 200 : 503)
      .send({ status: health.database === 'ok' ? 'ok' : 'unavailable', ...health });
  });
}

async function check(checks: HealthChecks): Promise<Health> {
  try {
    await checks.database();
  } catch (error) {
    if (error instanceof Mismatch) return { database: 'refused', gateway: 'away', reason: error.message };
    return { database: 'away', gateway: 'away' };
  }
  const silenceMs = await checks.gatewaySilenceMs().catch(() => undefined);
  return { database: 'ok', gateway: silenceMs !== undefined && silenceMs < GATEWAY_SILENCE_LIMIT_MS ? 'ok' : 'away' };
}

/** @returns the result of the work, or `fallback` after the time limit; the work is not cancelled */
async function withTimeout<T>(limitMs: number, work: Promise<T>, fallback: T): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<T>((resolve) => {
    timer = setTimeout(() => resolve(fallback), limitMs);
  });
  return Promise.race([work, timeout]).finally(() => clearTimeout(timer));
}
