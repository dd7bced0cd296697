import { useSyncExternalStore } from 'react';

/** Not every browser has `requestIdleCallback`. */
const FALLBACK_DELAY_MS = 1000;
/** For pages that are never idle. */
const IDLE_TIMEOUT_MS = 2000;

let hasBeenIdle = false;

export function runWhenIdle(action: () => void): void {
  if ('requestIdleCallback' in globalThis) requestIdleCallback(action, { timeout: IDLE_TIMEOUT_MS });
  else setTimeout(action, FALLBACK_DELAY_MS);
}

/** Whether the first screen has rendered, so that less important data can be fetched. Stays true. */
export function useHasBeenIdle(): boolean {
  return useSyncExternalStore(subscribe, () => hasBeenIdle);
}

function subscribe(listener: () => void): () => void {
  let isSubscribed = true;
  if (!hasBeenIdle)
    runWhenIdle(() => {
      hasBeenIdle = true;
      if (isSubscribed) listener();
    });
  return () => {
    isSubscribed = false;
  };
}
