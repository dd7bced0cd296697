import { QueryClientProvider } from '@tanstack/react-query';
import { Navigate, Outlet } from '@tanstack/react-router';
import { useEffect, useSyncExternalStore } from 'react';
import { startLive } from '../../lib/live.ts';
import { queryClient } from '../../lib/query.ts';
import { hasTokens, tokens } from '../../lib/tokens.ts';
import { MantineRoot } from '../../ui/mantine-root.tsx';
import { ProfileGate } from './profile-gate.tsx';
import { Shell } from './shell.tsx';

/** Everything behind sign-in. Once the tokens are gone, in this tab or another, the reader is at the sign-in page. */
export function MemberLayout() {
  const isSignedIn = useSyncExternalStore(tokens.subscribe, hasTokens);
  useEffect(() => (isSignedIn ? startLive() : undefined), [isSignedIn]);
  useEffect(() => {
    // The next user of this browser must not see anything of the last one.
    if (!isSignedIn) queryClient.clear();
  }, [isSignedIn]);
  if (!isSignedIn) return <Navigate to="/sign-in" replace />;
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
