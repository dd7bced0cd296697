import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useSettings } from '../data/settings.ts';
import { useDocumentTitle } from '../hooks/use-document-title.ts';
import { Logo } from './logo.tsx';
import classes from './plain.module.css';

interface MessageScreenProps {
  title: string;
  text?: ReactNode;
  /** None while the page waits. */
  children?: ReactNode;
}

/** One message in the middle of the screen, with actions. */
export function MessageScreen({ title, text, children }: MessageScreenProps) {
  const { brandName } = useSettings();
  return (
    <main className={classes['screen']}>
      <div className={classes['message']}>
        <Logo name={brandName} />
        <h1 tabIndex={-1}>{title}</h1>
        {text !== undefined && <p>{text}</p>}
        {children !== undefined && <div className={classes['actions']}>{children}</div>}
      </div>
    </main>
  );
}

export function NotFoundPage() {
  const { t } = useTranslation();
  useDocumentTitle(t('notFound.title'));
  return (
    <MessageScreen title={t('notFound.title')} text={t('notFound.text')}>
      <Link to="/proxies" className={classes['button']}>
        {t('notFound.back')}
      </Link>
    </MessageScreen>
  );
}
