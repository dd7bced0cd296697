import type { FastifyInstance } from 'fastify';

export interface HealthChecks {
  /** Rejects while the database does not answer. */
  database(): Promise<unknown>;
  /** Milliseconds since a gateway was last heard; undefined if never. */
  gatewaySilenceMs(): Promise<number | undefined>;
}

const GATEWAY_SILENCE_LIMIT_MS = 10_000;

/** Liveness and readiness: for machines, so they are not part of the contract. */
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
}
