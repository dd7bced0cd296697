// @ts-check
import { setTimeout as pause } from 'node:timers/promises';

/** @typedef {import('./child-process.mjs').Child} Child */

const FIRST_DELAY_MS = 1000;
const DELAY_MS_MAX = 30_000;
/** A program that has run for this long has started successfully. */
const STABLE_MS = 60_000;

/**
 * @typedef {object} Supervision
 * @property {(code: number, delayMs: number) => void} onEnd called for each unexpected end, before the pause
 * @property {number} [firstDelayMs]
 */

/**
 * Starts a program and restarts it whenever it ends by itself, for as long as it takes: with exponential backoff, so a program
 * that cannot start does not use up the CPU.
 * @param {() => Pick<Child, 'exited' | 'isEnding'>} launch called for each start
 * @param {Supervision} supervision
 * @returns {() => void} ends the supervision; a running program continues
 */
export function supervise(launch, { onEnd, firstDelayMs = FIRST_DELAY_MS }) {
  const stopping = new AbortController();
  const { signal } = stopping;
  const keepRunning = async (/** @type {Pick<Child, 'exited' | 'isEnding'>} */ first) => {
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
