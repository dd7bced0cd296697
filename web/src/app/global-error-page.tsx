import type { ErrorComponentProps } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useDocumentTitle } from '../hooks/use-document-title.ts';
import { MessageScreen } from '../ui/message-screen.tsx';
import plain from '../ui/plain.module.css';
import { failureText } from './failure-text.ts';

interface GlobalErrorPageProps extends Pick<ErrorComponentProps, 'error'> {
  /** If given, replaces the text for the error. */
  text?: string;
  /** Other actions besides the reload. */
  children?: ReactNode;
}

/** Replaces the whole screen with the error and a reload button. */
export function GlobalErrorPage({ error, text = failureText(error), children }: GlobalErrorPageProps) {
  const { t } = useTranslation();
  useDocumentTitle(t('failure.title'));
  return (
    <MessageScreen title={t('failure.title')} text={text}>
      <button type="button" className={plain['button']} onClick={() => location.reload()}>
        {t('failure.reload')}
      </button>
      {children}
    </MessageScreen>
  );
}
