import { getRouteApi, Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useDocumentTitle } from '../lib/use-document-title.ts';
import { MessageScreen } from '../ui/message-screen.tsx';
import plain from '../ui/plain.module.css';
import { isOwnMessage, shortenMessage } from './public-messages.ts';

const route = getRouteApi('/public-message');

/** Where links from mails end. A message that is not one of ours is quoted as text, whatever it contains. */
export function PublicMessagePage() {
  const { t } = useTranslation();
  const { message } = route.useSearch();
  useDocumentTitle(t('publicMessage.title'));
  const isOwn = message !== undefined && isOwnMessage(message);
  return (
    <MessageScreen
      title={isOwn ? message : t('publicMessage.title')}
      text={message !== undefined && !isOwn ? <Quotation text={shortenMessage(message)} /> : undefined}
    >
      <Link to="/proxies" className={plain['button']}>
        {t('notFound.back')}
      </Link>
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
