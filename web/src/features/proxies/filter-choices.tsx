import { FILTER_VALUES_MAX } from '@cellhop/contract/limits';
import type { FilterGroup } from '@cellhop/contract/places.values';
import { CheckIcon, MultiSelect } from '@mantine/core';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { countryName } from '../../format/format.ts';
import { changedValues } from './changed-values.ts';
import type { FilterCounts } from './filter-counts.ts';
import classes from './filter-choices.module.css';

/** More would make the list slow; users can type a ZIP code instead of scrolling. */
const OPTIONS_SHOWN_MAX = 100;

interface FilterChoicesProps {
  group: FilterGroup;
  counts: FilterCounts;
  value: string[];
  /** Gets a function of the newest value, which this field may not have rendered yet. */
  onChange: (change: (newest: string[]) => string[]) => void;
  /** Whether the field already has the focus, and its text. */
  hasFocus: boolean;
  firstText: string;
}

/** Replaces the plain field, with the list of values. */
export function FilterChoices({ group, counts, value, onChange, hasFocus, firstText }: FilterChoicesProps) {
  const { t, i18n } = useTranslation(['proxy', 'common']);
  const language = i18n.resolvedLanguage ?? 'en';
  const name = t(`common:location.${group}`);
  const options = useMemo(() => toOptions(group, counts, language), [group, counts, language]);
  return (
    <MultiSelect
      mod={{ chosen: value.length > 0 }}
      label={name}
      placeholder={value.length === 0 ? t('filter.any') : ''}
      data={options}
      value={value}
      onChange={(changed) => onChange((newest) => changedValues(newest, value, changed))}
      // The user has already focused the field that this one replaces.
      // oxlint-disable-next-line jsx-a11y/no-autofocus
      autoFocus={hasFocus}
      defaultSearchValue={firstText}
      maxValues={FILTER_VALUES_MAX}
      limit={OPTIONS_SHOWN_MAX}
      searchable
      hidePickedOptions={false}
      nothingFoundMessage={t('filter.nothing')}
      // The list itself scrolls: a scrollable wrapper would have to be focusable.
      withScrollArea={false}
      // Wider than a field on a phone: centered below it, it would overflow the screen.
      comboboxProps={{ position: 'bottom-start' }}
      classNames={{
        options: classes['options'] ?? '',
        dropdown: classes['dropdown'] ?? '',
        pillsList: classes['values'] ?? '',
        pill: classes['value'] ?? '',
      }}
      renderOption={({ option, checked }) => (
        <span className={classes['option']}>
          <span className={classes['name']}>
            {checked === true && <CheckIcon size={11} style={{ marginRight: 8 }} aria-hidden="true" />}
            {valueName(group, option.value, language)}
          </span>
          <span className={classes['count']}>{counts[option.value]}</span>
        </span>
      )}
    />
  );
}

function toOptions(group: FilterGroup, counts: FilterCounts, language: string) {
  const { compare } = new Intl.Collator(language, { numeric: true });
  return Object.keys(counts)
    .map((value) => {
      const name = valueName(group, value, language);
      // The label shows that this choice finds nothing, without opening the list.
      return { value, label: counts[value] === 0 ? `${name} (0)` : name };
    })
    .sort((one, other) => compare(one.label, other.label));
}

function valueName(group: FilterGroup, value: string, language: string): string {
  return group === 'country' ? countryName(value, language) : value;
}
