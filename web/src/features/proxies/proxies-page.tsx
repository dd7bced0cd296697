import type { Connection } from '@cellhop/contract/connections';
import { PROXY_SEARCH_MAX } from '@cellhop/contract/limits';
import type { Proxy, ProxyQuery } from '@cellhop/contract/proxies';
import { Stack, Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { EmptyList, LoadFailure } from '../../ui/list-state.tsx';
import { filterQuery, proxiesQuery, reloadCatalogue } from './api.ts';
import { ProxiesTable } from './proxies-table.tsx';
import { ProxyDialog } from './proxy-dialog.tsx';
import { FilterPanel } from './filter-panel.tsx';

interface ProxiesPageProps {
  search: ProxyQuery;
  onSearch: (search: ProxyQuery) => void;
  /** How to reach a proxy that was just bought. */
  renderAccess: (connection: Connection) => ReactNode;
}

export function ProxiesPage({ search, onSearch, renderAccess }: ProxiesPageProps) {
  const { t } = useTranslation('proxy');
  const [selected, setSelected] = useState<Proxy>();
  const filter = useQuery(filterQuery);
  const proxies = useQuery({ ...proxiesQuery(search), placeholderData: keepPreviousData });
  const rows = proxies.isPlaceholderData ? undefined : proxies.data?.data;

  function find(chosen: ProxyQuery) {
    if (JSON.stringify(chosen) === JSON.stringify(search)) void proxies.refetch();
    else onSearch(chosen);
  }

  return (
    <Stack gap="lg">
      <FilterPanel
        filter={filter.data?.data}
        error={filter.error}
        isLoading={filter.isFetching}
        search={search}
        isSearching={proxies.isFetching}
        onRetry={() => void filter.refetch()}
        onFind={find}
      />
      {proxies.isError ? (
        <LoadFailure
          text={t('table.failed')}
          error={proxies.error}
          isRetrying={proxies.isFetching}
          onRetry={() => void proxies.refetch()}
        />
      ) : rows?.length === 0 ? (
        <EmptyList text={t('table.empty')} />
      ) : (
        <ProxiesTable proxies={rows} onSelect={setSelected} />
      )}
      {rows?.length === PROXY_SEARCH_MAX && (
        <Text size="sm" c="dimmed" ta="center">
          {t('table.limit', { count: PROXY_SEARCH_MAX })}
        </Text>
      )}
      <ProxyDialog
        key={selected?.id}
        proxy={selected}
        renderAccess={renderAccess}
        onClose={() => setSelected(undefined)}
        onGone={() => {
          setSelected(undefined);
          reloadCatalogue();
        }}
      />
    </Stack>
  );
}
