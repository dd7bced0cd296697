import type { AnyRouter } from '@tanstack/react-router';

/** Whoever closes a dialog, or puts something in the place of what had the focus, gives it on by then. */
const PATIENCE_MS = 50;
/** A dialog that Escape has closed fades for so long, and gives the focus back meanwhile. */
const CLOSING_MS = 300;

/** What had the focus before the way to the page that still has to get it. */
let before: Element | null | undefined;

/**
 * After the way to another page the page itself gets the focus, which would stay where a link stood, or on nothing:
 * whoever hears the page is told its name, and Tab goes on from its beginning. Nothing happens on the first load, nor
 * when only parameters change.
 * @returns ends it
 */
export function followWithFocus(router: AnyRouter): () => void {
  let leaving: Element | null = null;
  const endings = [
    router.subscribe('onBeforeNavigate', () => {
      leaving = document.activeElement;
    }),
    router.subscribe('onRendered', ({ fromLocation, pathChanged }) => {
      if (fromLocation === undefined || !pathChanged) return;
      before = leaving;
      focusPageWhenDue();
    }),
  ];
  return () => endings.forEach((end) => end());
}

/** For frames that come later than the navigation, such as that of a user whose profile is still on its way. */
export function focusPageWhenDue(): void {
  const main = document.querySelector('main');
  if (before === undefined || main === null) return;
  const focused = document.activeElement;
  const isNew = focused !== before;
  before = undefined;
  // A field or a dialog of the new page was quicker.
  if (isNew && (main.contains(focused) || focused?.closest('[role="dialog"]') != null)) return;
  focusPage(main);
}

/**
 * When what had the focus goes away, such as the button that has loaded a list again, the dialog around it or else the
 * page gets it: otherwise Tab would begin at the top of everything.
 * @returns ends it
 */
export function keepFocus(): () => void {
  const stopping = new AbortController();
  let last: EventTarget | null = null;
  let escapedAt = -CLOSING_MS;
  const remember = ({ target }: FocusEvent) => {
    last = target;
  };
  const noteEscape = ({ key }: KeyboardEvent) => {
    if (key === 'Escape') escapedAt = performance.now();
  };
  function rescueWhenClosed(): void {
    const closingMs = escapedAt + CLOSING_MS - performance.now();
    if (closingMs > 0) setTimeout(rescueWhenClosed, closingMs);
    else rescue();
  }
  const removals = new MutationObserver(() => {
    if (!(last instanceof Element) || last.isConnected) return;
    last = null;
    setTimeout(rescueWhenClosed, PATIENCE_MS);
  });
  document.addEventListener('focusin', remember, { signal: stopping.signal });
  document.addEventListener('keydown', noteEscape, { signal: stopping.signal, capture: true });
  removals.observe(document.body, { childList: true, subtree: true });
  return () => {
    stopping.abort();
    removals.disconnect();
  };
}

function rescue(): void {
  if (document.activeElement !== document.body) return;
  const dialog = [...document.querySelectorAll<HTMLElement>('[role="dialog"]')].at(-1);
  const main = document.querySelector('main');
  if (dialog !== undefined) dialog.focus({ preventScroll: true });
  else if (main !== null) focusPage(main);
}

function focusPage(main: HTMLElement): void {
  // The heading of a page that has one in there; the screens of the product are named by the bar above them.
  const target = main.querySelector<HTMLElement>('h1[tabindex="-1"]') ?? main;
  target.focus({ preventScroll: true });
}
