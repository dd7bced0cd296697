import { Outlet, useRouter } from '@tanstack/react-router';
import { useEffect, useSyncExternalStore } from 'react';
import { takeUnusedPreloads } from '../../loading/unused-preloads.ts';
import { hasTokens, tokens } from '../../session/tokens.ts';
import { FullScreenSpinner } from '../../ui/spinner.tsx';
import { VisitorFrame } from '../../ui/visitor-frame.tsx';

/** Layout of visitors' pages. Once there are tokens, from this tab or another, the route's guard redirects. */
export function GuestLayout() {
  const isSignedIn = useSyncExternalStore(tokens.subscribe, hasTokens);
  const router = useRouter();
  useEffect(() => {
    if (isSignedIn) void router.invalidate();
  }, [isSignedIn, router]);
  useEffect(takeUnusedPreloads, []);
  if (isSignedIn) return <FullScreenSpinner />;
  return (
    <VisitorFrame>
      <Outlet />
    </VisitorFrame>
  );
}
