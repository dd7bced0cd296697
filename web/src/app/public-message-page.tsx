import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useDocumentTitle } from '../hooks/use-document-title.ts';
import { useScreenSearch } from '../loading/use-screen.ts';
import { MessageScreen } from '../ui/message-screen.tsx';
import plain from '../ui/plain.module.css';
import { publicMessageScreen } from './public-message-screen.ts';
import { isConfirmation, isKnownMessage, truncateMessage } from './public-messages.ts';

/** Target of links in mails. A message that is not one of ours is shown as a quotation. */
export function PublicMessagePage() {
  const { t } = useTranslation();
  const [{ message }] = useScreenSearch(publicMessageScreen);
  useDocumentTitle(t('publicMessage.title'));
  const isKnown = message !== undefined && isKnownMessage(message);
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

function Quotation({ text }: { text: string }) {
  const { t } = useTranslation();
  return (
    <>
      {t('publicMessage.fromLink')}
      <q>{text}</q>
    </>
  );
}
