import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { DayFields } from '../../ui/date-field.tsx';
import type { Days } from './continuation.ts';
import classes from './filter-panel.module.css';

interface FilterPanelProps<Filter> {
  /** The values of the fields. Undefined for a filter without a reset. */
  filter?: Filter;
  onReset?: (nothing: { [Key in keyof Filter]: undefined }) => void;
  /** The fields. */
  children: ReactNode;
}

/** The filters of a list, applied immediately and kept in the URL. */
export function FilterPanel<Filter extends object>({ filter, onReset, children }: FilterPanelProps<Filter>) {
  const { t } = useTranslation('staff');
  const entries: [string, unknown][] = Object.entries(filter ?? {});
  const isSet = entries.some(([, value]) => [value].flat().some((each) => each !== undefined));

  function reset(): void {
    onReset?.(Object.fromEntries(entries.map(([key]) => [key, undefined])) as { [Key in keyof Filter]: undefined });
  }

  return (
    <section className={classes['panel']} aria-label={t('filter.title')}>
      <div className={classes['fields']}>{children}</div>
      {isSet && (
        <div className={classes['actions']}>
          <Button variant="default" onClick={reset}>
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
      <DayFields
        from={from}
        to={to}
        texts={{ from: t('filter.from'), to: t('filter.to'), reversed: t('filter.reversed') }}
        onChange={(chosen) => onChange({ from: chosen.from || undefined, to: chosen.to || undefined })}
      />
    </div>
  );
}
