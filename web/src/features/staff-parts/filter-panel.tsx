import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import classes from './filter-panel.module.css';

interface FilterPanelProps {
  /** Undefined if no filter is set. */
  onReset: (() => void) | undefined;
  /** The fields. */
  children: ReactNode;
}

/** The filters of a list, applied immediately and kept in the URL. */
export function FilterPanel({ onReset, children }: FilterPanelProps) {
  const { t } = useTranslation('staff');
  return (
    <section className={classes['panel']} aria-label={t('filter.title')}>
      <div className={classes['fields']}>{children}</div>
      {onReset !== undefined && (
        <div className={classes['actions']}>
          <Button variant="default" onClick={onReset}>
            {t('filter.reset')}
          </Button>
        </div>
      )}
    </section>
  );
}
