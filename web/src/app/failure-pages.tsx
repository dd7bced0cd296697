import { ApiError } from '@cellhop/contract/client';
import { type ErrorComponentProps, useRouter } from '@tanstack/react-router';
import i18next from 'i18next';
import { type ReactNode, useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { errorText } from '../data/error-text.ts';
import { onReconnect } from '../data/network.ts';
import { queryClient } from '../data/query.ts';
import { useDocumentTitle } from '../hooks/use-document-title.ts';
import { isLoadFailure } from '../loading/load-failure.ts';
import { LoadFailure } from '../ui/list-state.tsx';
import { MessageScreen } from '../ui/message-screen.tsx';
import plain from '../ui/plain.module.css';

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

/** The text of a failure page: never the error's own message, which is for developers and in one language. */
function failureText(error: unknown): string {
  if (isLoadFailure(error)) return i18next.t('failure.incomplete');
  return error instanceof ApiError ? errorText(error) : i18next.t('genericErrorReload');
}

/** Replaces a screen that failed. The menu stays; navigation or a retry starts again. */
export function ScreenFailure({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  useEffect(removeUnusedResponses, []);
  useEffect(() => {
    if (!isLoadFailure(error)) return undefined;
    return onReconnect(() => location.reload());
  }, [error]);

  async function tryAgain(): Promise<void> {
    // The browser remembers that a module failed to load; only a reload requests it again.
    if (isLoadFailure(error)) return location.reload();
    removeUnusedResponses();
    await router.invalidate();
    reset();
  }

  return <LoadFailure text={failureText(error)} onRetry={() => void tryAgain()} />;
}

/** Removes cached responses that no component uses: the screen may have failed on one of them, and would fail again. */
function removeUnusedResponses(): void {
  queryClient.removeQueries({ type: 'inactive' });
}
