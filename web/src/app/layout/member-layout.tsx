import { QueryClientProvider } from '@tanstack/react-query';
import { Outlet, useRouter } from '@tanstack/react-router';
import { useEffect, useSyncExternalStore } from 'react';
import { startLive } from '../../live/live.ts';
import { queryClient } from '../../data/query.ts';
import { currentSession, tokens } from '../../session/tokens.ts';
import { currentView } from '../../session/view.ts';
import { MantineRoot } from '../../ui/mantine-root.tsx';
import { FullScreenSpinner } from '../../ui/spinner.tsx';
import { ProfileGate } from './profile-gate.tsx';
import { Shell } from './shell.tsx';

/**
 * Layout of all pages for signed-in users. Once the tokens are gone, in this tab or another, the route's guard
 * redirects to sign-in, which returns here. A new session starts with an empty cache.
 */
export function MemberLayout() {
  const session = useSyncExternalStore(tokens.subscribe, currentSession);
  const isSignedIn = session !== undefined;
  const router = useRouter();
  // Staff who see the app as a user get no live events; queries are polled.
  const isLive = session !== undefined && currentView() === undefined;
  useEffect(() => (isLive ? startLive(session) : undefined), [isLive, session]);
  useEffect(() => {
    if (!isSignedIn) void router.invalidate();
  }, [isSignedIn, router]);
  if (!isSignedIn) return <FullScreenSpinner />;
  return (
    <QueryClientProvider client={queryClient}>
      <MantineRoot>
        <ProfileGate key={session}>
          <Shell>
            <Outlet />
          </Shell>
        </ProfileGate>
      </MantineRoot>
    </QueryClientProvider>
  );
}
