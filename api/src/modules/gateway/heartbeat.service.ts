import type { Ctx } from '../../ctx.ts';
import { saveHeartbeat } from './gateway.store.ts';

/** Five missing heartbeats count as an outage (api/sql/api_available_since.sql). */
const HEARTBEAT_INTERVAL_MS = 2000;

/**
 * Records periodically that this process accepts reports of gateways. Silence of a gateway only counts while the API is available.
 * @returns a function that stops the heartbeat
 */
export function startHeartbeat(ctx: Ctx): () => void {
  const beat = () =>
    saveHeartbeat(ctx).catch((error: unknown) => ctx.log.error({ err: error }, 'heartbeat could not be saved'));
  void beat();
  const timer = setInterval(() => void beat(), HEARTBEAT_INTERVAL_MS);
  return () => clearInterval(timer);
}
