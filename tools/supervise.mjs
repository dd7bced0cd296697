// @ts-check
import { setTimeout as pause } from 'node:timers/promises';

/** @typedef {import('./child-process.mjs').Child} Child */

const FIRST_DELAY_MS = 1000;
const DELAY_MS_MAX = 30_000;
/** What has run for this long had no trouble to start. */
const STEADY_MS = 60_000;

/**
 * Starts a program, and starts it again whenever it ends by itself: after a pause that doubles each time, so a program
 * that cannot start does not keep the machine busy.
 * @param {() => Child} launch called for each start
 * @param {{ onEnd: (code: number, delayMs: number) => void, firstDelayMs?: number }} settings `onEnd` hears of each end
 *   that nobody asked for, before the pause
 * @returns {() => void} from now on nothing is started any more; what runs goes on
 */
export function supervise(launch, { onEnd, firstDelayMs = FIRST_DELAY_MS }) {
  const stopping = new AbortController();
  const { signal } = stopping;
  const keepRunning = async (/** @type {Child} */ first) => {
    let child = first;
    let delayMs = firstDelayMs;
    for (;;) {
      const startedAt = performance.now();
      const code = await child.exited;
      if (signal.aborted || child.isEnding()) return;
      if (performance.now() - startedAt > STEADY_MS) delayMs = firstDelayMs;
      onEnd(code, delayMs);
      await pause(delayMs, undefined, { signal }).catch(() => {});
      if (signal.aborted) return;
      child = launch();
      delayMs = Math.min(DELAY_MS_MAX, delayMs * 2);
    }
  };
  void keepRunning(launch());
  return () => stopping.abort();
}
