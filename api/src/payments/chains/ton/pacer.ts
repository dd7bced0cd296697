/** A token bucket: as many requests at once as in one second, and then one after the other. */
import { setTimeout } from 'node:timers/promises';

const SECOND_MS = 1000;

/** Requests of some seconds that a source may get at each poll beside those that payments need. */
export const requestsAside = (perSecond: number): number => Math.min(3 * perSecond, 30);

/** @returns waits for the turn of one request */
export function createPacer(perSecond: number): (signal: AbortSignal) => Promise<void> {
  let readyAtMs = -Infinity;
  return async (signal) => {
    const nowMs = performance.now();
    readyAtMs = Math.max(readyAtMs, nowMs - SECOND_MS) + SECOND_MS / perSecond;
    const waitMs = readyAtMs - nowMs;
    // If it is aborted, the request says why.
    if (waitMs > 0) await setTimeout(waitMs, undefined, { signal }).catch(() => undefined);
  };
}
