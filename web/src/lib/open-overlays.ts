/** What lies over the page: messages (toasts) then stand where it leaves room for one. */
import { useLayoutEffect, useSyncExternalStore } from 'react';

/** A dialog leaves room above or beside it (ui/dialog-space.css), a popup of the top bar below it. */
export type Overlay = 'dialog' | 'popup';

let open: readonly Overlay[] = [];
const listeners = new Set<() => void>();

/** For each dialog and each popup of the top bar. */
export function useAsOverlay(kind: Overlay, isOpen: boolean): void {
  // Before it is painted for the first time.
  useLayoutEffect(() => {
    if (!isOpen) return undefined;
    change([...open, kind]);
    return () => {
      const last = open.lastIndexOf(kind);
      change(open.filter((_, index) => index !== last));
    };
  }, [kind, isOpen]);
}

/** A dialog lies over popups. */
export function useTopOverlay(): Overlay | undefined {
  return useSyncExternalStore(subscribe, () => (open.includes('dialog') ? 'dialog' : open[0]));
}

function change(next: readonly Overlay[]): void {
  open = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
