/** Open overlays. Toasts are shown where the overlay leaves space for them. */
import { useLayoutEffect, useSyncExternalStore } from 'react';

/** A dialog leaves space above or beside it (ui/dialog-space.css), a popup of the top bar below it. */
export type Overlay = 'dialog' | 'popup';

let open: readonly Overlay[] = [];
const listeners = new Set<() => void>();

/** Registers a dialog, or a popup of the top bar, while it is open. */
export function useAsOverlay(kind: Overlay, isOpen: boolean): void {
  // Layout effect: before the first paint.
  useLayoutEffect(() => {
    if (!isOpen) return undefined;
    change([...open, kind]);
    return () => {
      const last = open.lastIndexOf(kind);
      change(open.filter((_, index) => index !== last));
    };
  }, [kind, isOpen]);
}

/** Dialogs are above popups. */
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
