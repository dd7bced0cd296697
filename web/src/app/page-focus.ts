import type { AnyRouter } from '@tanstack/react-router';

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
  // The heading of a page that has one in there; the screens of the product are named by the bar above them.
  const target = main.querySelector<HTMLElement>('h1[tabindex="-1"]') ?? main;
  target.focus({ preventScroll: true });
}
