import { ApiError } from '@cellhop/contract/client';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { errorText } from '../data/error-text.ts';
import classes from './list-state.module.css';
import { PlainButton } from './plain-button.tsx';

interface LoadFailureProps {
  text: string;
  /** Shows the reason if the user can do something about it: no network, or too many requests. */
  error?: unknown;
  isRetrying?: boolean;
  /** Undefined if a retry would fail again. */
  onRetry?: (() => void) | undefined;
  /** Other actions besides the retry. */
  children?: ReactNode;
}

/** Replaces a list that failed to load. */
export function LoadFailure({ text, error, isRetrying = false, onRetry, children }: LoadFailureProps) {
  const { t } = useTranslation();
  return (
    <div className={classes['failure']} role="alert">
      <p>{text}</p>
      {hasReason(error) && <p className={classes['reason']}>{errorText(error)}</p>}
      {onRetry !== undefined && (
        <PlainButton isCompact isQuiet isLoading={isRetrying} onClick={onRetry}>
          {t('tryAgain')}
        </PlainButton>
      )}
      {children}
    </div>
  );
}

function hasReason(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 0 || error.code === 'RATE_LIMITED');
}

export function EmptyList({ text, children }: { text: string; children?: ReactNode }) {
  return (
    <div className={classes['empty']}>
      <p>{text}</p>
      {children}
    </div>
  );
}
