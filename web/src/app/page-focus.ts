import type { AnyRouter } from '@tanstack/react-router';

/** Time for components to move the focus themselves after a removal. */
const FOCUS_DELAY_MS = 50;
const DIALOG = '[role="dialog"]';

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
  if (isNew && (main.contains(focused) || focused?.closest(DIALOG) != null)) return;
  pageTarget()?.focus({ preventScroll: true });
}

/**
 * When the focused element is removed, focuses the open dialog or else the page: otherwise Tab would start at the top of
 * the document. If its dialog is removed too, focuses the element that had the focus before the dialog: Mantine returns
 * it only if the dialog has taken it before it is closed.
 * @returns stops it
 */
export function restoreLostFocus(): () => void {
  const stopping = new AbortController();
  const openers = new WeakMap<Element, Element | null>();
  let focused: Element | null = null;
  let dialog: Element | null = null;
  const rememberFocused = ({ target }: FocusEvent) => {
    if (!(target instanceof Element)) return;
    dialog = target.closest(DIALOG);
    if (dialog !== null && !openers.has(dialog)) openers.set(dialog, focused);
    focused = target;
  };
  function restore(): void {
    const opener = dialog === null || dialog.isConnected ? null : openers.get(dialog);
    focusFirst(opener, [...document.querySelectorAll(DIALOG)].at(-1), pageTarget());
  }
  let timer: ReturnType<typeof setTimeout> | undefined;
  const removals = new MutationObserver(() => {
    if (focused === null || focused.isConnected) return;
    focused = null;
    // Another removal shortly before: one timer, so that stopping leaves none.
    clearTimeout(timer);
    timer = setTimeout(restore, FOCUS_DELAY_MS);
  });
  document.addEventListener('focusin', rememberFocused, { signal: stopping.signal });
  removals.observe(document.body, { childList: true, subtree: true });
  return () => {
    stopping.abort();
    removals.disconnect();
    clearTimeout(timer);
  };
}

/** Unless a component has moved the focus. An element that is removed or hidden does not take it. */
function focusFirst(...candidates: (Element | null | undefined)[]): void {
  for (const candidate of candidates) {
    if (document.activeElement !== document.body) return;
    if (candidate instanceof HTMLElement) candidate.focus({ preventScroll: true });
  }
}

/** Some pages have their own heading; other screens are named by the top bar. */
function pageTarget(): HTMLElement | null {
  return document.querySelector<HTMLElement>('main h1[tabindex="-1"]') ?? document.querySelector('main');
}
