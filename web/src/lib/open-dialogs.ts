/** Whether a dialog lies over the page: messages (toasts) then stand where every dialog leaves room for one. */
import { useLayoutEffect, useSyncExternalStore } from 'react';

let openCount = 0;
const listeners = new Set<() => void>();

/** For each dialog. */
export function useAsOpenDialog(isOpen: boolean): void {
  // Before the dialog is painted for the first time.
  useLayoutEffect(() => {
    if (!isOpen) return undefined;
    change(1);
    return () => change(-1);
  }, [isOpen]);
}

export function useHasOpenDialog(): boolean {
  return useSyncExternalStore(subscribe, () => openCount > 0);
}

function change(difference: 1 | -1): void {
  openCount += difference;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
