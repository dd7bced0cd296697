import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { errorText } from '../../lib/error-text.ts';
import { profileQuery } from '../../lib/profile.ts';
import { FullScreenSpinner } from '../../ui/spinner.tsx';
import { GlobalErrorPage } from '../global-error-page.tsx';

/** Shows nothing of the product before the server has accepted the stored tokens. */
export function ProfileGate({ children }: { children: ReactNode }) {
  const profile = useQuery(profileQuery);
  if (profile.data !== undefined) return children;
  // A 401 has removed the tokens, and the layout is about to leave.
  if (profile.error === null || profile.error.status === 401) return <FullScreenSpinner />;
  return <GlobalErrorPage error={new Error(errorText(profile.error))} />;
}
