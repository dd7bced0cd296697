// @ts-check
import { setTimeout as pause } from 'node:timers/promises';

/** @typedef {import('./child-process.mjs').Child} Child */

const FIRST_DELAY_MS = 1000;
const DELAY_MS_MAX = 30_000;
/** A program that has run for this long has started successfully. */
const STABLE_MS = 60_000;

/**
 * @typedef {object} Supervision
 * @property {(code: number, delayMs: number | undefined) => void} onEnd called for each unexpected end, before the pause; without a pause
 *   if the program is not started again
 * @property {number} [quickEndsMax] gives up after so many ends in a row, each soon after its start; default: never
 * @property {number} [firstDelayMs]
 */

/**
 * Starts a program and restarts it whenever it ends by itself, with exponential backoff, so a program
 * that cannot start does not use up the CPU.
 * @param {() => Child} launch called for each start
 * @param {Supervision} supervision
 * @returns {() => void} ends the supervision; a running program continues
 */
export function supervise(launch, { onEnd, quickEndsMax = Number.POSITIVE_INFINITY, firstDelayMs = FIRST_DELAY_MS }) {
  const stopping = new AbortController();
  const { signal } = stopping;
  const keepRunning = async (/** @type {Child} */ first) => {
    let child = first;
    let delayMs = firstDelayMs;
    let quickEnds = 0;
    for (;;) {
      const startedAt = performance.now();
      const code = await child.exited;
      if (signal.aborted || child.isEnding()) return;
      if (performance.now() - startedAt > STABLE_MS) {
        delayMs = firstDelayMs;
        quickEnds = 0;
      } else quickEnds += 1;
      if (quickEnds >= quickEndsMax) return onEnd(code, undefined);
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
