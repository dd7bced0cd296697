import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { DateField } from '../../ui/date-field.tsx';
import type { Days } from './continuation.ts';
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

/** A notice that a list shows only one user, with a link to the list of all users. */
export function OfUserNotice({ userId }: { userId: string | undefined }) {
  const { t } = useTranslation('staff');
  if (userId === undefined) return null;
  return (
    <p className={classes['notice']}>
      {t('ofUser')}{' '}
      <Link to="." search={{}}>
        {t('allUsers')}
      </Link>
    </p>
  );
}

interface DayRangeProps {
  days: Days;
  onChange: (days: Days) => void;
}

/** Two fields of a filter. */
export function DayRange({ days: { from = '', to = '' }, onChange }: DayRangeProps) {
  const { t } = useTranslation('staff');
  return (
    <div className={classes['range']}>
      <DateField
        label={t('filter.from')}
        value={from}
        max={to === '' ? undefined : to}
        onChange={(day) => day !== undefined && onChange(toDays(day, to))}
      />
      <DateField
        label={t('filter.to')}
        value={to}
        min={from === '' ? undefined : from}
        error={from !== '' && to !== '' && from > to ? t('filter.reversed') : undefined}
        onChange={(day) => day !== undefined && onChange(toDays(from, day))}
      />
    </div>
  );
}

function toDays(first: string, last: string): Days {
  return { from: first || undefined, to: last || undefined };
}
