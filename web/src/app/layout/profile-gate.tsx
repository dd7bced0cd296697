import type { ApiError } from '@cellhop/contract/client';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useDeferredValue } from 'react';
import { useTranslation } from 'react-i18next';
import { errorText } from '../../data/error-text.ts';
import { profileQuery } from '../../session/profile.ts';
import { PlainButton } from '../../ui/plain-button.tsx';
import { FullScreenSpinner } from '../../ui/spinner.tsx';
import { GlobalErrorPage } from '../failure-pages.tsx';
import { logOut } from './log-out.ts';

/** Renders its children once the server has accepted the stored tokens, and no longer once it has blocked the user. */
export function ProfileGate({ children }: { children: ReactNode }) {
  const { data, error } = useQuery(profileQuery);
  // Deferred, so that the app renders in small steps while the spinner keeps turning.
  const isAccepted = useDeferredValue(data !== undefined);
  if (error?.code === 'ACCOUNT_BLOCKED') return <ProfileFailure error={error} />;
  if (data !== undefined && isAccepted) return children;
  // A 401 has removed the tokens, and the layout is about to redirect.
  if (error === null || error.status === 401) return <FullScreenSpinner />;
  return <ProfileFailure error={error} />;
}

/** Offers to log out, so that the user can sign in with another account. */
function ProfileFailure({ error }: { error: ApiError }) {
  const { t } = useTranslation();
  const text = error.code === 'NOT_FOUND' ? t('accountNotFound') : errorText(error);
  return (
    <GlobalErrorPage error={error} text={text}>
      <PlainButton isQuiet onClick={() => void logOut()}>
        {t('logOut')}
      </PlainButton>
    </GlobalErrorPage>
  );
}
