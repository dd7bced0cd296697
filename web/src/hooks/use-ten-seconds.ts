import { useSyncExternalStore } from 'react';

const STEP_MS = 10_000;

/** Now, rounded up to ten seconds, so that an age is never shown as less than it is. */
export function useTenSeconds(): number {
  return useSyncExternalStore(subscribe, () => Math.ceil(Date.now() / STEP_MS) * STEP_MS);
}

function subscribe(listener: () => void): () => void {
  const timer = setInterval(listener, STEP_MS);
  return () => clearInterval(timer);
}
