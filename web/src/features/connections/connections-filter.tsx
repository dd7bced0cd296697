import { CONNECTION_SEARCH_LENGTH_MAX } from '@cellhop/contract/limits';
import { Button, Checkbox, TextInput } from '@mantine/core';
import { IconDownload, IconPlugConnectedX, IconSearch } from '@tabler/icons-react';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import classes from './connections-filter.module.css';
import type { ConnectionsSearch } from './screen.ts';

interface ConnectionsFilterProps {
  search: ConnectionsSearch;
  onSearch: (search: ConnectionsSearch) => void;
  onDisconnectSeveral: () => void;
  onExport: () => void;
}

export function ConnectionsFilter({ search, onSearch, onDisconnectSeveral, onExport }: ConnectionsFilterProps) {
  const { t } = useTranslation('proxyConnection');
  const [text, setText] = useState(search.search ?? '');

  function find(event: FormEvent) {
    event.preventDefault();
    onSearch({ active: search.active, search: text.trim() === '' ? undefined : text.trim() });
  }

  return (
    <search aria-label={t('filter.title')}>
      <form className={classes['filter']} onSubmit={find}>
        <TextInput
          className={classes['text'] ?? ''}
          type="search"
          aria-label={t('filter.search')}
          placeholder={t('filter.search')}
          maxLength={CONNECTION_SEARCH_LENGTH_MAX}
          leftSection={<IconSearch size={17} aria-hidden="true" />}
          value={text}
          onChange={({ currentTarget }) => {
            setText(currentTarget.value);
            // The clear button of the search field.
            if (currentTarget.value === '') onSearch({ active: search.active });
          }}
        />
        <Checkbox
          label={t('filter.active')}
          checked={search.active === true}
          onChange={({ currentTarget }) =>
            onSearch({ active: currentTarget.checked ? true : undefined, search: search.search })
          }
        />
        <div className={classes['actions']}>
          <Button variant="default" leftSection={<IconDownload size={17} aria-hidden="true" />} onClick={onExport}>
            {t('export.open')}
          </Button>
          <Button
            variant="default"
            leftSection={<IconPlugConnectedX size={17} aria-hidden="true" />}
            onClick={onDisconnectSeveral}
          >
            {t('several.open')}
          </Button>
        </div>
      </form>
    </search>
  );
}
