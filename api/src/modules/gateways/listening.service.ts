import type { Ctx } from '../../ctx.ts';
import { saveListening } from './gateways.store.ts';

/** The database takes five missing signs for a gap (migration 0015). */
const SIGN_INTERVAL_MS = 2000;

/**
 * Notes again and again that gateways can report to this process: after a gap their silence counts from its end.
 * @returns stops it
 */
export function startListeningSigns(ctx: Ctx): () => void {
  const sign = () =>
    saveListening(ctx).catch((error: unknown) => ctx.log.error({ err: error }, 'listening was not noted'));
  void sign();
  const timer = setInterval(() => void sign(), SIGN_INTERVAL_MS);
  return () => clearInterval(timer);
}
