import type { AnyRouter } from '@tanstack/react-router';

/** Time for components to move the focus themselves after a removal. */
const FOCUS_DELAY_MS = 50;
/** A dialog closed by Escape fades out for this time and then returns the focus. */
const CLOSE_ANIMATION_MS = 300;

/** The focused element before a navigation whose page has not received the focus yet. */
let focusedBefore: Element | null | undefined;

/**
 * Focuses the page after a navigation, so that screen readers announce its name and Tab starts at its beginning. Not
 * after the first load, nor when only search parameters change.
 * @returns stops it
 */
export function focusPageOnNavigation(router: AnyRouter): () => void {
  let focusedOnLeave: Element | null = null;
  const unsubscribes = [
    router.subscribe('onBeforeNavigate', () => {
      focusedOnLeave = document.activeElement;
    }),
    router.subscribe('onRendered', ({ fromLocation, pathChanged }) => {
      if (fromLocation === undefined || !pathChanged) return;
      focusedBefore = focusedOnLeave;
      focusPageIfPending();
    }),
  ];
  return () => unsubscribes.forEach((unsubscribe) => unsubscribe());
}

/** Also called by layouts that render after the navigation, such as while the profile loads. */
export function focusPageIfPending(): void {
  const main = document.querySelector('main');
  if (focusedBefore === undefined || main === null) return;
  const focused = document.activeElement;
  const isNew = focused !== focusedBefore;
  focusedBefore = undefined;
  // A field or a dialog of the new page has taken the focus already.
  if (isNew && (main.contains(focused) || focused?.closest('[role="dialog"]') != null)) return;
  focusPage(main);
}

/**
 * When a focused element is removed, such as a retry button, focuses the open dialog or else the page. Otherwise Tab
 * would start at the top of the document.
 * @returns stops it
 */
export function restoreLostFocus(): () => void {
  const stopping = new AbortController();
  let last: EventTarget | null = null;
  let escapedAt = Number.NEGATIVE_INFINITY;
  let removedAt = 0;
  const rememberFocused = ({ target }: FocusEvent) => {
    last = target;
  };
  const recordEscape = ({ key }: KeyboardEvent) => {
    if (key === 'Escape') escapedAt = performance.now();
  };
  function focusWhenClosed(): void {
    const isClosing = escapedAt > removedAt - CLOSE_ANIMATION_MS;
    if (!isClosing) return focusDialogOrPage();
    // The wait starts here, not at Escape: in a busy browser this timer may be late, and so is the one with which the dialog returns
    // the focus.
    escapedAt = Number.NEGATIVE_INFINITY;
    setTimeout(focusWhenClosed, CLOSE_ANIMATION_MS);
  }
  const removals = new MutationObserver(() => {
    if (!(last instanceof Element) || last.isConnected) return;
    last = null;
    removedAt = performance.now();
    setTimeout(focusWhenClosed, FOCUS_DELAY_MS);
  });
  document.addEventListener('focusin', rememberFocused, { signal: stopping.signal });
  document.addEventListener('keydown', recordEscape, { signal: stopping.signal, capture: true });
  removals.observe(document.body, { childList: true, subtree: true });
  return () => {
    stopping.abort();
    removals.disconnect();
  };
}

function focusDialogOrPage(): void {
  if (document.activeElement !== document.body) return;
  const dialog = [...document.querySelectorAll<HTMLElement>('[role="dialog"]')].at(-1);
  const main = document.querySelector('main');
  if (dialog !== undefined) dialog.focus({ preventScroll: true });
  else if (main !== null) focusPage(main);
}

function focusPage(main: HTMLElement): void {
  // Some pages have their own heading; other screens are named by the top bar.
  const target = main.querySelector<HTMLElement>('h1[tabindex="-1"]') ?? main;
  target.focus({ preventScroll: true });
}
