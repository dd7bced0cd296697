import { useSyncExternalStore } from 'react';

const TICK_MS = 1000;

/** Whole seconds until a moment (epoch milliseconds), refreshed each second; 0 once it has passed. */
export function useSecondsLeft(untilMs: number): number {
  return useSyncExternalStore(subscribeToSeconds, () => secondsUntil(untilMs, Date.now()));
}

/** A part of a second counts as a whole one: at 0 the time has really come. */
export function secondsUntil(untilMs: number, nowMs: number): number {
  return Math.max(0, Math.ceil((untilMs - nowMs) / TICK_MS));
}

function subscribeToSeconds(listener: () => void): () => void {
  const timer = setInterval(listener, TICK_MS);
  return () => clearInterval(timer);
}
