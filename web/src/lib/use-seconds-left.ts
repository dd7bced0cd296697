import { useSyncExternalStore } from 'react';

const TICK_MS = 1000;

/** Whole seconds until a moment (epoch milliseconds), refreshed each second; 0 once it has passed. */
export function useSecondsLeft(untilMs: number): number {
  return useSyncExternalStore(subscribeToSeconds, () => Math.max(0, Math.ceil((untilMs - Date.now()) / TICK_MS)));
}

function subscribeToSeconds(listener: () => void): () => void {
  const timer = setInterval(listener, TICK_MS);
  return () => clearInterval(timer);
}
