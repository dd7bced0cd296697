/**
 * Parts of a screen that a first visit does without, such as a menu before its button is pressed. Their code comes when
 * the browser has nothing else to do, or when somebody wants the part, whichever is first.
 */
import i18next from 'i18next';
import { useCallback, useEffect, useState } from 'react';
import { loadMissingStyles } from './late-styles.ts';
import { isLoadFailure } from './load-failure.ts';
import { showToast } from './toasts.ts';
import { whenIdle } from './when-idle.ts';

export interface Later<Part> {
  /** Undefined until it has arrived. */
  get: () => Part | undefined;
  load: () => Promise<Part>;
  /** Nobody is waiting for it yet: a failure is told to whoever does. */
  loadWhenIdle: () => void;
}

export function later<Part>(load: () => Promise<Part>): Later<Part> {
  let arrived: Part | undefined;
  let isPlanned = false;
  async function loadOnce(): Promise<Part> {
    if (arrived !== undefined) return arrived;
    await loadMissingStyles();
    arrived = await load();
    return arrived;
  }
  return {
    get: () => arrived,
    load: loadOnce,
    loadWhenIdle: () => {
      if (isPlanned) return;
      isPlanned = true;
      whenIdle(() => void loadOnce().catch(() => undefined));
    },
  };
}

/** @returns the part once it was wanted and is here, and a function that wants it */
export function useLater<Part>(later: Later<Part>): [Part | undefined, () => void] {
  const [part, setPart] = useState<Part>();
  useEffect(() => later.loadWhenIdle(), [later]);
  const want = useCallback(() => {
    const arrived = later.get();
    // A part may be a function, which React would call.
    if (arrived !== undefined) setPart(() => arrived);
    else later.load().then((loaded) => setPart(() => loaded), tell);
  }, [later]);
  return [part, want];
}

function tell(error: unknown): void {
  showToast('error', i18next.t(isLoadFailure(error) ? 'failure.incomplete' : 'genericErrorReload'));
}
