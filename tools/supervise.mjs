// @ts-check
import { setTimeout as pause } from 'node:timers/promises';

/** @typedef {import('./child-process.mjs').Child} Child */

const FIRST_DELAY_MS = 1000;
const DELAY_MS_MAX = 30_000;
/** A program that has run for this long has started successfully. */
const STABLE_MS = 60_000;

/**
 * Starts a program and restarts it whenever it ends by itself, with exponential backoff, so a program
 * that cannot start does not use up the CPU.
 * @param {() => Child} launch called for each start
 * @param {{ onEnd: (code: number, delayMs: number) => void, firstDelayMs?: number }} settings `onEnd` is called for each
 *   unexpected end, before the pause
 * @returns {() => void} ends the supervision; a running program continues
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
      if (performance.now() - startedAt > STABLE_MS) delayMs = firstDelayMs;
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
