import { useSyncExternalStore } from 'react';

const TICK_MS = 1000;

/** Whole seconds until a time (epoch milliseconds), updated every second; 0 once it has passed. */
export function useSecondsLeft(untilMs: number): number {
  return useSyncExternalStore(subscribeToSeconds, () => secondsUntil(untilMs, Date.now()));
}

/** Rounded up, so that 0 means that the time has come. */
export function secondsUntil(untilMs: number, nowMs: number): number {
  return Math.max(0, Math.ceil((untilMs - nowMs) / TICK_MS));
}

function subscribeToSeconds(listener: () => void): () => void {
  const timer = setInterval(listener, TICK_MS);
  return () => clearInterval(timer);
}
