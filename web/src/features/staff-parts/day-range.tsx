import { useTranslation } from 'react-i18next';
import { startOfDay } from '../../format/day.ts';
import { DateField } from '../../ui/date-field.tsx';
import classes from './filter-panel.module.css';

/** Days in the user's time zone, such as 2026-11-21, both included; undefined for none. */
export interface Days {
  from?: string | undefined;
  to?: string | undefined;
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

/** Days start at midnight in the user's time zone; the API's `to` is exclusive. */
export function toRange({ from, to }: Days): Days {
  return {
    ...(from !== undefined && { from: startOfDay(from).toISOString() }),
    ...(to !== undefined && { to: startOfDay(to, 1).toISOString() }),
  };
}

function toDays(first: string, last: string): Days {
  return { from: first || undefined, to: last || undefined };
}
