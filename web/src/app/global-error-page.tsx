import type { ErrorComponentProps } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useDocumentTitle } from '../lib/use-document-title.ts';
import { MessageScreen } from '../ui/message-screen.tsx';
import plain from '../ui/plain.module.css';

/** The last resort: shows what is known of the failure and offers to start again. */
export function GlobalErrorPage({ error }: Pick<ErrorComponentProps, 'error'>) {
  const { t } = useTranslation();
  useDocumentTitle(t('failure.title'));
  const text = error instanceof Error && error.message !== '' ? error.message : t('genericErrorReload');
  return (
    <MessageScreen title={t('failure.title')} text={text}>
      <button type="button" className={plain['button']} onClick={() => location.reload()}>
        {t('failure.reload')}
      </button>
    </MessageScreen>
  );
}
