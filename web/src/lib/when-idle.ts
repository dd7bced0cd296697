import { useSyncExternalStore } from 'react';

/** Not every browser can say that it is idle. */
const WITHOUT_IDLE_MS = 1000;
/** On a page that is never idle. */
const PATIENCE_MS = 2000;

let hasBeenIdle = false;

export function whenIdle(action: () => void): void {
  if ('requestIdleCallback' in globalThis) requestIdleCallback(action, { timeout: PATIENCE_MS });
  else setTimeout(action, WITHOUT_IDLE_MS);
}

/** Whether the first screen has been drawn: what it can do without is asked for afterwards. Stays true. */
export function useIsDrawn(): boolean {
  return useSyncExternalStore(subscribe, () => hasBeenIdle);
}

function subscribe(listener: () => void): () => void {
  let isHeard = true;
  if (!hasBeenIdle)
    whenIdle(() => {
      hasBeenIdle = true;
      if (isHeard) listener();
    });
  return () => {
    isHeard = false;
  };
}
