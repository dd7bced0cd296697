import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useDocumentTitle } from '../hooks/use-document-title.ts';
import { MessageScreen } from '../ui/message-screen.tsx';
import plain from '../ui/plain.module.css';

export function NotFoundPage() {
  const { t } = useTranslation();
  useDocumentTitle(t('notFound.title'));
  return (
    <MessageScreen title={t('notFound.title')} text={t('notFound.text')}>
      <Link to="/proxies" className={plain['button']}>
        {t('notFound.back')}
      </Link>
    </MessageScreen>
  );
}
