import type { ErrorComponentProps } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { isLoadFailure } from '../lib/load-failure.ts';
import { useDocumentTitle } from '../lib/use-document-title.ts';
import { MessageScreen } from '../ui/message-screen.tsx';
import plain from '../ui/plain.module.css';

interface GlobalErrorPageProps extends Pick<ErrorComponentProps, 'error'> {
  /** Other ways out than starting again. */
  children?: ReactNode;
}

/** The last resort: shows what is known of the failure and offers to start again. */
export function GlobalErrorPage({ error, children }: GlobalErrorPageProps) {
  const { t } = useTranslation();
  useDocumentTitle(t('failure.title'));
  const said = error instanceof Error && error.message !== '' ? error.message : t('genericErrorReload');
  const text = isLoadFailure(error) ? t('failure.incomplete') : said;
  return (
    <MessageScreen title={t('failure.title')} text={text}>
      <button type="button" className={plain['button']} onClick={() => location.reload()}>
        {t('failure.reload')}
      </button>
      {children}
    </MessageScreen>
  );
}
