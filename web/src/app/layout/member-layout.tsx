import { QueryClientProvider } from '@tanstack/react-query';
import { Outlet, useRouter } from '@tanstack/react-router';
import { useEffect, useSyncExternalStore } from 'react';
import { startLive } from '../../lib/live.ts';
import { queryClient } from '../../lib/query.ts';
import { hasTokens, tokens } from '../../lib/tokens.ts';
import { MantineRoot } from '../../ui/mantine-root.tsx';
import { FullScreenSpinner } from '../../ui/spinner.tsx';
import { ProfileGate } from './profile-gate.tsx';
import { Shell } from './shell.tsx';

/**
 * Everything behind sign-in. Once the tokens are gone, in this tab or another, the route's own guard leads to the
 * sign-in page, and from there back.
 */
export function MemberLayout() {
  const isSignedIn = useSyncExternalStore(tokens.subscribe, hasTokens);
  const router = useRouter();
  useEffect(() => (isSignedIn ? startLive() : undefined), [isSignedIn]);
  useEffect(() => {
    if (!isSignedIn) void router.invalidate();
  }, [isSignedIn, router]);
  if (!isSignedIn) return <FullScreenSpinner />;
  return (
    <QueryClientProvider client={queryClient}>
      <MantineRoot>
        <ProfileGate>
          <Shell>
            <Outlet />
          </Shell>
        </ProfileGate>
      </MantineRoot>
    </QueryClientProvider>
  );
}
