import '@mantine/dates/styles.layer.css';
import { DatePicker } from '@mantine/dates';
import 'dayjs/locale/ru';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { serverNow } from '../data/server-clock.ts';
import { toDay } from '../format/day.ts';
import classes from './calendar.module.css';

interface CalendarProps {
  /** A day such as 2026-11-21, or '' for none. */
  day: string;
  min: string | undefined;
  max: string | undefined;
  onChoose: (day: string) => void;
}

/** Loaded lazily, because of its library. */
export function Calendar({ day, min, max, onChoose }: CalendarProps) {
  const { t, i18n } = useTranslation();
  const [today] = useState(() => toDay(new Date(serverNow())));
  const first = day !== '' ? day : max !== undefined && max < today ? max : today;
  return (
    <DatePicker
      className={classes['calendar'] ?? ''}
      locale={i18n.resolvedLanguage ?? 'en'}
      value={day === '' ? null : day}
      defaultDate={first}
      {...(min !== undefined && { minDate: min })}
      {...(max !== undefined && { maxDate: max })}
      highlightToday
      // Weekends are not highlighted.
      weekendDays={[]}
      hideOutsideDates
      ariaLabels={{
        monthLevelControl: t('day.months'),
        yearLevelControl: t('day.years'),
        previousMonth: t('day.previous'),
        nextMonth: t('day.next'),
        previousYear: t('day.previous'),
        nextYear: t('day.next'),
        previousDecade: t('day.previous'),
        nextDecade: t('day.next'),
      }}
      // Focused when the calendar opens.
      getDayProps={(date) => (date === first ? { 'data-autofocus': true } : {})}
      onChange={(chosen) => chosen !== null && onChoose(chosen)}
    />
  );
}
