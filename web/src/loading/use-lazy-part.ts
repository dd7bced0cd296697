/**
 * Lazily loaded parts of a screen that are not needed for its first render, such as a menu. Their code is loaded when the
 * browser is idle or when the part is requested, whichever is first.
 */
import i18next from 'i18next';
import { useCallback, useEffect, useState } from 'react';
import { retryFailedStylesheets } from './failed-stylesheets.ts';
import { runWhenIdle } from './idle.ts';
import { isLoadFailure } from './load-failure.ts';
import { showToast } from '../ui/toasts.ts';
import { isOnline } from '../data/network.ts';

export interface LazyPart<Part> {
  /** Undefined until it is loaded. */
  get: () => Part | undefined;
  load: () => Promise<Part>;
  /** Ignores a failure: the next `load` tries again. */
  loadWhenIdle: () => void;
}

export function lazyPart<Part>(load: () => Promise<Part>): LazyPart<Part> {
  let loaded: Part | undefined;
  let isScheduled = false;
  async function loadOnce(): Promise<Part> {
    if (loaded !== undefined) return loaded;
    await retryFailedStylesheets();
    loaded = await load();
    return loaded;
  }
  return {
    get: () => loaded,
    load: loadOnce,
    loadWhenIdle: () => {
      if (isScheduled) return;
      isScheduled = true;
      runWhenIdle(() => {
        // Browsers cache a module that failed to load: only a reload of the page tries again.
        if (isOnline()) void loadOnce().catch(() => undefined);
      });
    },
  };
}

/** @returns the part, once it was requested and is loaded, and a function that requests it */
export function useLazyPart<Part>(lazy: LazyPart<Part>): [Part | undefined, () => void] {
  const [part, setPart] = useState<Part>();
  useEffect(() => lazy.loadWhenIdle(), [lazy]);
  const load = useCallback(() => {
    const loaded = lazy.get();
    // The part may be a component, which `setPart` would call.
    if (loaded !== undefined) setPart(() => loaded);
    else lazy.load().then((arrived) => setPart(() => arrived), showLoadFailure);
  }, [lazy]);
  return [part, load];
}

function showLoadFailure(error: unknown): void {
  showToast('error', i18next.t(isLoadFailure(error) ? 'failure.incomplete' : 'genericErrorReload'));
}
