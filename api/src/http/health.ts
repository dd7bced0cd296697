import { LIVE_EVENTS_PATH } from '@cellhop/contract/live';
import type { FastifyInstance } from 'fastify';
import { collectDefaultMetrics, Histogram, Registry } from 'prom-client';

export interface HealthChecks {
  /** Rejects while the database does not answer. */
  database(): Promise<unknown>;
  /** Milliseconds since a gateway was last heard; undefined if never. */
  gatewaySilenceMs(): Promise<number | undefined>;
}

const GATEWAY_SILENCE_LIMIT_MS = 10_000;

/** Liveness, readiness and Prometheus metrics: for machines, so they are not part of the contract. */
export function useHealth(app: FastifyInstance, checks: HealthChecks): void {
  app.get('/health/live', { schema: { hide: true } }, async () => ({ status: 'ok' }));
  app.get('/health/ready', { schema: { hide: true } }, async (_request, reply) => {
    const database = await checks.database().then(
      () => 'ok',
      () => 'away',
    );
    const silenceMs = database === 'ok' ? await checks.gatewaySilenceMs().catch(() => undefined) : undefined;
    const gateway = silenceMs !== undefined && silenceMs < GATEWAY_SILENCE_LIMIT_MS ? 'ok' : 'away';
    // The shop and its money work without a gateway, so a silent one is told but is no reason to take the API away.
    return reply
      .code(database === 'ok' ? 200 : 503)
      .send({ status: database === 'ok' ? 'ok' : 'unavailable', database, gateway });
  });

  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const duration = new Histogram({
    name: 'http_request_seconds',
    help: 'Time to answer a request',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [registry],
  });
  app.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? 'none';
    // It lasts as long as its reader stays.
    if (route === LIVE_EVENTS_PATH) return;
    duration.observe({ method: request.method, route, status: String(reply.statusCode) }, reply.elapsedTime / 1000);
  });
  app.get('/metrics', { schema: { hide: true } }, async (_request, reply) =>
    reply.type(registry.contentType).send(await registry.metrics()),
  );
}
