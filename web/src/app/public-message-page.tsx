import { Link, useNavigate } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { formatMoney } from '../format/format.ts';
import { useDocumentTitle } from '../hooks/use-document-title.ts';
import { useScreenSearch } from '../loading/use-screen.ts';
import { signInAsConfirmed } from '../session/sign-in-as-confirmed.ts';
import { MessageScreen } from '../ui/message-screen.tsx';
import { showToast } from '../ui/toasts.ts';
import plain from '../ui/plain.module.css';
import { isConfirmation, isKnownMessage, truncateMessage } from './public-messages.ts';
import { publicMessageScreen } from './screens.ts';

/** Target of links in mails. A message that is not one of ours is shown as a quotation. */
export function PublicMessagePage() {
  const { t } = useTranslation();
  const [{ message, signIn }] = useScreenSearch(publicMessageScreen);
  useDocumentTitle(t('publicMessage.title'));
  const isKnown = message !== undefined && isKnownMessage(message);
  const isSigningIn = useSignIn(message !== undefined && isConfirmation(message) ? signIn : undefined);
  if (isSigningIn) return <MessageScreen title={t('publicMessage.confirmed')} text={t('publicMessage.signingIn')} />;
  return (
    <MessageScreen
      title={isKnown ? message : t('publicMessage.title')}
      text={message !== undefined && !isKnown ? <Quotation text={truncateMessage(message)} /> : undefined}
    >
      {message !== undefined && isConfirmation(message) ? (
        // Leads signed-in users to the app.
        <Link to="/sign-in" className={plain['button']}>
          {t('signIn')}
        </Link>
      ) : (
        <Link to="/proxies" className={plain['button']}>
          {t('notFound.back')}
        </Link>
      )}
    </MessageScreen>
  );
}

/** @returns whether the page waits for the sign-in, which leads to the app */
function useSignIn(id: string | undefined): boolean {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const [hasFailed, setHasFailed] = useState(false);
  const requested = useRef<string>(undefined);
  useEffect(() => {
    if (id === undefined || requested.current === id) return;
    requested.current = id;
    const enter = async (signInId: string) => {
      const balance = await signInAsConfirmed(signInId);
      if (balance === undefined) return setHasFailed(true);
      // Only a trial credit can be there.
      if (balance > 0) showToast('success', t('publicMessage.trial', { amount: formatMoney(balance) }));
      await navigate({ to: '/proxies', replace: true });
    };
    void enter(id);
  }, [id, navigate, t]);
  return id !== undefined && !hasFailed;
}

function Quotation({ text }: { text: string }) {
  const { t } = useTranslation();
  return (
    <>
      {t('publicMessage.fromLink')}
      <q>{text}</q>
    </>
  );
}
