import { useElementScrollRestoration, useRouterState } from '@tanstack/react-router';
import { useEffect } from 'react';

/** What readers do when they go on by themselves. */
const HANDS = ['wheel', 'touchstart', 'keydown', 'pointerdown'] as const;

/**
 * The router scrolls back to where a page was left, at once. Lists that come a moment later, or in pieces, make the page
 * high enough only then: so it is done again while the page grows, until it has got there or the reader does something.
 */
export function useScrollRestoration(): void {
  const entry = useRouterState({ select: ({ resolvedLocation }) => resolvedLocation?.state.__TSR_key });
  const top = useElementScrollRestoration({ getElement: () => window })?.scrollY ?? 0;
  useEffect(() => {
    const isAbove = entry !== undefined && top > scrollY;
    return isAbove ? scrollWhileGrowing(top) : undefined;
  }, [entry, top]);
}

/** @returns ends it */
function scrollWhileGrowing(top: number): () => void {
  const stopping = new AbortController();
  const { signal } = stopping;
  const page = new ResizeObserver(() => {
    scrollTo({ top });
    if (scrollY >= top) stopping.abort();
  });
  signal.addEventListener('abort', () => page.disconnect());
  for (const hand of HANDS) addEventListener(hand, () => stopping.abort(), { signal, passive: true });
  page.observe(document.body);
  return () => stopping.abort();
}
