import type { FastifyInstance } from 'fastify';

export interface HealthChecks {
  /** Rejects while the database does not answer. */
  database(): Promise<unknown>;
  /** Milliseconds since a gateway was last heard; undefined if never. */
  gatewaySilenceMs(): Promise<number | undefined>;
}

interface Health {
  database: 'ok' | 'away';
  gateway: 'ok' | 'away';
}

const GATEWAY_SILENCE_LIMIT_MS = 10_000;
/** Load balancers ask every few seconds and take no answer for a dead program. */
const CHECK_LIMIT_MS = 1500;

/** Liveness and readiness: for machines, so they are not part of the contract. */
export function useHealth(app: FastifyInstance, checks: HealthChecks): void {
  let running: Promise<Health> | undefined;
  // Requests share one check: anybody may ask, and a database that does not answer would keep a connection for each.
  const checkOnce = () =>
    (running ??= check(checks).finally(() => {
      running = undefined;
    }));
  app.get('/health/live', { schema: { hide: true } }, async () => ({ status: 'ok' }));
  app.get('/health/ready', { schema: { hide: true } }, async (_request, reply) => {
    const { database, gateway } = await within(CHECK_LIMIT_MS, checkOnce(), { database: 'away', gateway: 'away' });
    // The shop and its money work without a gateway, so a silent one is told but is no reason to take the API away.
    return reply
      .code(database === 'ok' ? 200 : 503)
      .send({ status: database === 'ok' ? 'ok' : 'unavailable', database, gateway });
  });
}

async function check(checks: HealthChecks): Promise<Health> {
  const isAway = await checks.database().then(
    () => false,
    () => true,
  );
  if (isAway) return { database: 'away', gateway: 'away' };
  const silenceMs = await checks.gatewaySilenceMs().catch(() => undefined);
  return { database: 'ok', gateway: silenceMs !== undefined && silenceMs < GATEWAY_SILENCE_LIMIT_MS ? 'ok' : 'away' };
}

/** @returns what the work answers, or `otherwise` when that takes too long; the work goes on */
async function within<T>(limitMs: number, work: Promise<T>, otherwise: T): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<T>((resolve) => {
    timer = setTimeout(() => resolve(otherwise), limitMs);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
