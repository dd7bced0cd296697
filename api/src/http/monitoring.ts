import type { FastifyInstance } from 'fastify';
import { countFailed } from '../jobs/jobs.ts';
import { passwordHashUsage } from '../modules/auth/passwords.ts';
import { refreshUsage } from '../modules/auth/sessions.service.ts';
import { countFreeDnsPorts, gatewaySilenceMs } from '../modules/gateway/gateway.service.ts';
import { readChainFigures } from '../modules/invoices/chain-overview.service.ts';
import { readKeyFigures } from '../modules/key-rotation/key-rotation.service.ts';
import { readFigures } from '../modules/reconciliation/reconciliation.service.ts';
import { useHealth } from './health.ts';
import { useMetrics } from './metrics.ts';

/** Time limit of the health check's `select 1`. */
const PING_LIMIT_MS = 1000;

/** Health checks and metrics, with what the modules report. */
export function monitoringRoutes(app: FastifyInstance): void {
  const { ctx } = app;
  useHealth(app, {
    database: () => ctx.db.query('select 1', [], { responseTimeoutMs: PING_LIMIT_MS }),
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
      freeDnsPorts: await countFreeDnsPorts(ctx),
      failedJobs: await countFailed(ctx),
    }),
    browserErrors: () => app.browserErrors.counts,
    longPolls: () => app.longPolls.size,
  });
}
