import { useSyncExternalStore } from 'react';
import { serverNow } from '../data/server-clock.ts';

const STEP_MS = 10_000;

/** Now by the server's clock, rounded up to ten seconds, so that an age is never shown as less than it is. */
export function useTenSeconds(): number {
  return useSyncExternalStore(subscribe, () => Math.ceil(serverNow() / STEP_MS) * STEP_MS);
}

function subscribe(listener: () => void): () => void {
  const timer = setInterval(listener, STEP_MS);
  return () => clearInterval(timer);
}
