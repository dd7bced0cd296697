import { USAGE_DAYS_MAX } from '@cellhop/contract/usage.values';
import { Button } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { serverNow } from '../../data/server-clock.ts';
import { toDay } from '../../format/day.ts';
import { DateField } from '../../ui/date-field.tsx';
import hidden from '../../ui/visually-hidden.module.css';
import { rangeError, presets, type Range } from './range.ts';
import classes from './range-picker.module.css';

interface RangePickerProps {
  range: Range;
  onChange: (range: Range) => void;
}

export function RangePicker({ range, onChange }: RangePickerProps) {
  const { t } = useTranslation(['usage', 'proxyConnection']);
  const isOwn = 'from' in range;
  const [isOpen, setOpen] = useState(isOwn);
  return (
    <div className={classes['picker']}>
      <fieldset className={classes['choices']}>
        <legend className={hidden['visuallyHidden']}>{t('range')}</legend>
        {presets.map((preset) => (
          <button
            key={preset}
            type="button"
            aria-pressed={!isOpen && !isOwn && range.preset === preset}
            onClick={() => {
              setOpen(false);
              onChange({ preset });
            }}
          >
            {t(`presets.${preset}`)}
          </button>
        ))}
        <button type="button" aria-pressed={isOpen || isOwn} aria-expanded={isOpen} onClick={() => setOpen(true)}>
          {t('presets.own')}
        </button>
      </fieldset>
      {isOpen && <OwnRange range={range} onChange={onChange} />}
    </div>
  );
}

function OwnRange({ range, onChange }: RangePickerProps) {
  const { t } = useTranslation(['usage', 'proxyConnection']);
  const [today] = useState(() => toDay(new Date(serverNow())));
  const [from, setFrom] = useState<string | undefined>('from' in range ? range.from : today);
  const [to, setTo] = useState<string | undefined>('from' in range ? range.to : today);
  const [fault, setError] = useState<ReturnType<typeof rangeError>>();

  function apply(event: FormEvent) {
    event.preventDefault();
    // A field with an invalid day shows its own error.
    if (from === undefined || to === undefined) return;
    const found = rangeError(from, to, USAGE_DAYS_MAX);
    setError(found);
    if (found === undefined) onChange({ from, to });
  }

  return (
    <form className={classes['own']} noValidate onSubmit={apply}>
      <DateField label={t('from')} max={today} value={from} onChange={setFrom} />
      <DateField label={t('to')} max={today} value={to} onChange={setTo} />
      <Button type="submit">{t('apply')}</Button>
      {fault !== undefined && (
        <p className={classes['fault']} role="alert">
          {t(`faults.${fault}`, { count: USAGE_DAYS_MAX })}
        </p>
      )}
    </form>
  );
}
