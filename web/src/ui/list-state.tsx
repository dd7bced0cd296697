import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import classes from './list-state.module.css';

/** Stands instead of a list that did not load. */
export function LoadFailure({ text, onRetry }: { text: string; onRetry: () => void }) {
  const { t } = useTranslation();
  return (
    <div className={classes['failure']} role="alert">
      <p>{text}</p>
      <Button variant="default" size="sm" onClick={onRetry}>
        {t('tryAgain')}
      </Button>
    </div>
  );
}

export function EmptyList({ text, children }: { text: string; children?: ReactNode }) {
  return (
    <div className={classes['empty']}>
      <p>{text}</p>
      {children}
    </div>
  );
}
