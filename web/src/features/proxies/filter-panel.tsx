import { PROXY_SEARCH_MAX } from '@cellhop/contract/limits';
import type { ProxyFilter, ProxyQuery } from '@cellhop/contract/proxies';
import { filterGroups } from '@cellhop/contract/proxies.values';
import { IconAdjustmentsHorizontal, IconSearch } from '@tabler/icons-react';
import { type FormEvent, useDeferredValue, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Failure } from '../../data/use-api-query.ts';
import { LoadFailure } from '../../ui/list-state.tsx';
import { PlainButton } from '../../ui/plain-button.tsx';
import { useFacets } from './api.ts';
import { offeredCounts } from './filter-counts.ts';
import { FilterField } from './filter-field.tsx';
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
      <button
        type="button"
        className={classes['toggle']}
        aria-expanded={isOpen}
        aria-controls={fieldsId}
        onClick={() => setOpen(!isOpen)}
      >
        <IconAdjustmentsHorizontal size={18} aria-hidden="true" />
        {chosen === 0 ? t('filter.show') : t('filter.showChosen', { count: chosen })}
      </button>
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
