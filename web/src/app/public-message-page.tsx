import { getRouteApi, Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useDocumentTitle } from '../lib/use-document-title.ts';
import { MessageScreen } from '../ui/message-screen.tsx';
import plain from '../ui/plain.module.css';

const route = getRouteApi('/public-message');

/** Where links from mails end. The message is shown as text, whatever it contains. */
export function PublicMessagePage() {
  const { t } = useTranslation();
  const { message } = route.useSearch();
  useDocumentTitle(t('publicMessage.title'));
  return (
    <MessageScreen title={message ?? t('publicMessage.title')}>
      <Link to="/proxies" className={plain['button']}>
        {t('notFound.back')}
      </Link>
    </MessageScreen>
  );
}
