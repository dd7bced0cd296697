import { PROXY_SEARCH_MAX } from '@cellhop/contract/limits';
import type { ProxyFilter, ProxyQuery } from '@cellhop/contract/proxies';
import { filterGroups, type FilterGroup } from '@cellhop/contract/places.values';
import { IconSearch, IconSelector } from '@tabler/icons-react';
import { type FormEvent, useDeferredValue, useId, useState, useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import type { Failure } from '../../data/use-api-query.ts';
import { lazyPart, useLazyPart } from '../../loading/use-lazy-part.ts';
import { FilterToggle } from '../../ui/filter-toggle.tsx';
import { LoadFailure } from '../../ui/list-state.tsx';
import { PlainButton } from '../../ui/plain-button.tsx';
import { useFacets } from './api.ts';
import { offeredCounts, type FilterCounts } from './filter-counts.ts';
import classes from './filter-panel.module.css';

interface FilterPanelProps {
  filter: ProxyFilter | undefined;
  failure: Failure | undefined;
  /** The search of the current list, which resets the form when it changes, such as by the back button. */
  search: ProxyQuery;
  isSearching: boolean;
  /** Number of proxies in the list; undefined while loading. */
  found: number | undefined;
  onFind: (query: ProxyQuery) => void;
}

export function FilterPanel({ filter: latestFilter, failure, search, isSearching, found, onFind }: FilterPanelProps) {
  const { t } = useTranslation('proxy');
  const filter = useDeferredValue(latestFilter);
  const [choice, setChoice] = useChoice(search);
  const [isOpen, setOpen] = useState(false);
  const chosen = Object.values(choice).filter((values) => values !== undefined && values.length > 0).length;
  const facets = useFacets(onlyChosen(choice));
  const fieldsId = useId();

  function find(event: FormEvent) {
    event.preventDefault();
    setOpen(false);
    onFind(onlyChosen(choice));
  }

  if (failure !== undefined) return <LoadFailure text={t('filter.failed')} {...failure} />;
  return (
    <form className={classes['panel']} aria-label={t('filter.title')} aria-busy={filter === undefined} onSubmit={find}>
      <div className={classes['toggle']}>
        <FilterToggle isOpen={isOpen} fieldsId={fieldsId} count={chosen} onToggle={() => setOpen(!isOpen)} />
      </div>
      <div id={fieldsId} className={classes['fields']} data-open={isOpen}>
        {filterGroups.map((group) => (
          <FilterField
            key={group}
            group={group}
            counts={filter && offeredCounts(group, filter, facets, choice[group] ?? [])}
            value={choice[group] ?? []}
            onChange={(change) => setChoice((newest) => ({ ...newest, [group]: change(newest[group] ?? []) }))}
          />
        ))}
      </div>
      <div className={classes['buttons']}>
        <PlainButton
          isCompact
          type="submit"
          disabled={filter === undefined}
          isLoading={isSearching && filter !== undefined}
        >
          <IconSearch size={18} aria-hidden="true" />
          {t('filter.find')}
        </PlainButton>
        <PlainButton
          isCompact
          isQuiet
          disabled={filter === undefined}
          onClick={() => {
            setChoice({});
            onFind({});
          }}
        >
          {t('filter.reset')}
        </PlainButton>
        <Found count={found} />
      </div>
    </form>
  );
}

/** Starts again with every other search. */
function useChoice(search: ProxyQuery) {
  const [choice, setChoice] = useState(search);
  const searchText = JSON.stringify(search);
  const [lastSearchText, setLastSearchText] = useState(searchText);
  if (lastSearchText !== searchText) {
    setLastSearchText(searchText);
    setChoice(search);
  }
  return [choice, setChoice] as const;
}

function Found({ count }: { count: number | undefined }) {
  const { t } = useTranslation('proxy');
  return (
    <output className={classes['found']}>
      {count === PROXY_SEARCH_MAX
        ? t('filter.cheapest', { max: PROXY_SEARCH_MAX })
        : count !== undefined && t('filter.found', { count })}
    </output>
  );
}

function onlyChosen(choice: ProxyQuery): ProxyQuery {
  return Object.fromEntries(Object.entries(choice).filter(([, values]) => values !== undefined && values.length > 0));
}

const choices = lazyPart(async () => (await import('./filter-choices.tsx')).FilterChoices);

interface FilterFieldProps {
  group: FilterGroup;
  /** Undefined while loading. */
  counts: FilterCounts | undefined;
  value: string[];
  onChange: (change: (newest: string[]) => string[]) => void;
}

/** A plain field that looks like the multi-select which replaces it when the user opens it. */
function FilterField({ group, counts, value, onChange }: FilterFieldProps) {
  const { t } = useTranslation(['proxy', 'common']);
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
      <label htmlFor={id}>{t(`common:location.${group}`)}</label>
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
