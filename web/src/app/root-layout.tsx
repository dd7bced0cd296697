import { Outlet, useRouter, useElementScrollRestoration, useRouterState } from '@tanstack/react-router';
import { Suspense, useEffect } from 'react';
import { useDocumentColorScheme } from '../ui/color-scheme.ts';
import { FullScreenSpinner } from '../ui/spinner.tsx';
import { ToastRegion } from '../ui/toast-region.tsx';
import { focusPageOnNavigation, restoreLostFocus } from './page-focus.ts';

export function RootLayout() {
  useDocumentColorScheme();
  const router = useRouter();
  useEffect(() => focusPageOnNavigation(router), [router]);
  useEffect(restoreLostFocus, []);
  useScrollRestoration();
  return (
    <>
      <Suspense fallback={<FullScreenSpinner />}>
        <Outlet />
      </Suspense>
      <ToastRegion />
    </>
  );
}

/** Events after which the user scrolls themselves. */
const USER_INPUT_EVENTS = ['wheel', 'touchstart', 'keydown', 'pointerdown'] as const;

/**
 * The router restores the scroll position immediately, but lists that load later or render in steps make the page tall
 * enough only afterwards. This repeats the scrolling while the page grows, until it is reached or the user does
 * something.
 */
function useScrollRestoration(): void {
  const entry = useRouterState({ select: ({ resolvedLocation }) => resolvedLocation?.state.__TSR_key });
  const top = useElementScrollRestoration({ getElement: () => window })?.scrollY ?? 0;
  useEffect(() => {
    const isAbove = entry !== undefined && top > scrollY;
    return isAbove ? scrollWhileGrowing(top) : undefined;
  }, [entry, top]);
}

/** @returns stops it */
function scrollWhileGrowing(top: number): () => void {
  const stopping = new AbortController();
  const { signal } = stopping;
  const page = new ResizeObserver(() => {
    scrollTo({ top });
    if (scrollY >= top) stopping.abort();
  });
  signal.addEventListener('abort', () => page.disconnect());
  for (const eventName of USER_INPUT_EVENTS)
    addEventListener(eventName, () => stopping.abort(), { signal, passive: true });
  page.observe(document.body);
  return () => stopping.abort();
}
