import { Button } from '@mantine/core';
import { type FormEvent, type ReactNode, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { DayFields } from '../../ui/date-field.tsx';
import { FilterToggle } from '../../ui/filter-toggle.tsx';
import type { Days } from './continuation.ts';
import classes from './filter-panel.module.css';

interface FilterPanelProps<Filter> {
  /** The values of the fields. Undefined for a filter without a reset. */
  filter?: Filter;
  onReset?: (nothing: { [Key in keyof Filter]: undefined }) => void;
  /** For fields that are applied together; without it, each is applied when it changes. */
  onApply?: () => void;
  /** The fields. */
  children: ReactNode;
  /** At the right end: the button that creates a row is the last one. */
  actions?: ReactNode;
}

/** The filters of a list, kept in the URL, and what can be done with the list. On phones the fields are behind a button. */
export function FilterPanel<Filter extends object>(props: FilterPanelProps<Filter>) {
  const { filter, onReset, onApply, children, actions } = props;
  const { t } = useTranslation('staff');
  const [isOpen, setOpen] = useState(false);
  const fieldsId = useId();
  const entries: [string, unknown][] = Object.entries(filter ?? {});
  const setCount = entries.filter(([, value]) => [value].flat().some((each) => each !== undefined)).length;

  function reset(): void {
    onReset?.(Object.fromEntries(entries.map(([key]) => [key, undefined])) as { [Key in keyof Filter]: undefined });
  }

  function submit(event: FormEvent): void {
    event.preventDefault();
    onApply?.();
  }

  const buttons = (
    <div className={classes['buttons']}>
      {onApply !== undefined && <Button type="submit">{t('filter.apply')}</Button>}
      {setCount > 0 && onReset !== undefined && (
        <Button variant="default" onClick={reset}>
          {t('filter.reset')}
        </Button>
      )}
    </div>
  );
  const fields = { id: fieldsId, className: classes['fields'], 'data-open': isOpen };
  return (
    <div className={classes['panel']}>
      <section className={classes['filters']} aria-label={t('filter.title')}>
        <div className={classes['toggle']}>
          <FilterToggle isOpen={isOpen} fieldsId={fieldsId} count={setCount} onToggle={() => setOpen(!isOpen)} />
        </div>
        {onApply === undefined ? (
          <div {...fields}>
            {children}
            {buttons}
          </div>
        ) : (
          <form {...fields} onSubmit={submit}>
            {children}
            {buttons}
          </form>
        )}
      </section>
      {actions !== undefined && <div className={classes['actions']}>{actions}</div>}
    </div>
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
