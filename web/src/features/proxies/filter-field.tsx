import type { FilterGroup } from '@cellhop/contract/proxies.values';
import { IconSelector } from '@tabler/icons-react';
import { useEffect, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { lazyPart, useLazyPart } from '../../loading/use-lazy-part.ts';
import type { FilterCounts } from './filter-counts.ts';
import classes from './filter-field.module.css';

const choices = lazyPart(async () => (await import('./filter-choices.tsx')).FilterChoices);

interface FilterFieldProps {
  group: FilterGroup;
  /** Undefined while loading. */
  counts: FilterCounts | undefined;
  value: string[];
  onChange: (change: (newest: string[]) => string[]) => void;
}

/** A plain field that looks like the multi-select which replaces it when the user opens it. */
export function FilterField({ group, counts, value, onChange }: FilterFieldProps) {
  const { t } = useTranslation('proxy');
  const id = useId();
  const [Choices, loadChoices] = useLazyPart(choices);
  const [text, setText] = useState('');
  const [hasFocus, setFocus] = useState(false);
  const hasValue = value.length > 0;
  useEffect(() => {
    if (hasValue) loadChoices();
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [hasValue]);
  if (Choices !== undefined && counts !== undefined)
    return <Choices {...{ group, counts, value, onChange, hasFocus }} firstText={text} />;
  return (
    <div className={classes['field']} data-chosen={hasValue}>
      <label htmlFor={id}>{t(`filter.${group}`)}</label>
      <div className={classes['box']}>
        <input
          id={id}
          // The listbox does not exist yet, so there is nothing to reference.
          // oxlint-disable-next-line jsx-a11y/role-has-required-aria-props
          role="combobox"
          aria-haspopup="listbox"
          aria-expanded={false}
          autoComplete="off"
          placeholder={hasValue ? '' : t('filter.any')}
          value={text}
          onChange={({ target }) => setText(target.value)}
          onFocus={() => {
            setFocus(true);
            loadChoices();
          }}
          onBlur={() => setFocus(false)}
        />
        <IconSelector size={16} aria-hidden="true" />
      </div>
    </div>
  );
}
