import { PROXY_SEARCH_MAX } from '@cellhop/contract/limits';
import type { Proxy, ProxyQuery } from '@cellhop/contract/proxies';
import { type ComponentType, useCallback, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { invalidate } from '../../data/query.ts';
import { showToast } from '../../ui/toasts.ts';
import { useApiQuery } from '../../data/use-api-query.ts';
import { type LazyPart, useLazyPart } from '../../loading/use-lazy-part.ts';
import { type List, useList } from '../../data/use-list.ts';
import { EmptyList, LoadFailure } from '../../ui/list-state.tsx';
import { OverlaySpinner } from '../../ui/spinner.tsx';
import { filterQuery, proxiesQuery } from './api.ts';
import classes from './proxies-page.module.css';
import { ProxiesTable } from './proxies-table.tsx';
import type { ProxyDialogProps } from './proxy-dialog.tsx';
import { FilterPanel } from './filter-panel.tsx';

/** Without `renderAccess`, which the app provides. */
export type PurchaseDialogProps = Omit<ProxyDialogProps, 'renderAccess'>;

interface ProxiesPageProps {
  search: ProxyQuery;
  onSearch: (search: ProxyQuery) => void;
  /** The proxy whose purchase dialog is open. */
  shownId: string | undefined;
  onShow: (id: string | undefined) => void;
  purchaseDialog: LazyPart<ComponentType<PurchaseDialogProps>>;
}

export function ProxiesPage({ search, onSearch, shownId, onShow, purchaseDialog }: ProxiesPageProps) {
  const { t } = useTranslation(['proxy', 'common']);
  const [PurchaseDialog, loadDialog] = useLazyPart(purchaseDialog);
  const filter = useApiQuery(filterQuery);
  const proxies = useList(proxiesQuery(search));
  const { rows } = proxies;
  const { selected, setBought, forget } = useSelected(shownId, rows);
  const isGone = shownId !== undefined && selected === undefined && rows !== undefined && !proxies.isFetching;

  useEffect(() => {
    if (selected !== undefined) loadDialog();
  }, [selected, loadDialog]);

  useEffect(() => {
    if (!isGone) return;
    showToast('warning', t('common:errors.PROXY_NOT_FOUND'));
    onShow(undefined);
  }, [isGone, onShow, t]);

  function find(chosen: ProxyQuery) {
    if (JSON.stringify(chosen) === JSON.stringify(search)) proxies.refetch();
    else onSearch(chosen);
  }

  // A stable function, because a new one would render all rows again.
  const select = useCallback(
    ({ id }: Proxy) => {
      onShow(id);
      loadDialog();
    },
    [onShow, loadDialog],
  );

  return (
    <div className={classes['page']}>
      <FilterPanel
        filter={filter.response?.data}
        failure={filter.failure}
        search={search}
        isSearching={proxies.isFetching}
        found={rows?.length}
        onFind={find}
      />
      <SearchResult proxies={proxies} onSelect={select} />
      {rows?.length === PROXY_SEARCH_MAX && (
        <p className={classes['limit']}>{t('table.limit', { count: PROXY_SEARCH_MAX })}</p>
      )}
      {PurchaseDialog === undefined && selected !== undefined && <OverlaySpinner />}
      {PurchaseDialog !== undefined && (
        <PurchaseDialog
          proxy={selected}
          onBought={(proxy) => {
            setBought(proxy);
            onShow(undefined);
          }}
          onClose={() => {
            setBought(undefined);
            onShow(undefined);
          }}
          onGone={() => {
            onShow(undefined);
            void invalidate(['catalogue']);
          }}
          onPriceChanged={() => void invalidate(['catalogue']).then(forget)}
        />
      )}
    </div>
  );
}

interface SearchResultProps {
  proxies: List<Proxy>;
  onSelect: (proxy: Proxy) => void;
}

function SearchResult({ proxies: { rows, error, isFetching, refetch }, onSelect }: SearchResultProps) {
  const { t } = useTranslation('proxy');
  if (error !== null)
    return <LoadFailure text={t('table.failed')} error={error} isRetrying={isFetching} onRetry={refetch} />;
  if (rows?.length === 0) return <EmptyList text={t('table.empty')} />;
  return <ProxiesTable proxies={rows} onSelect={onSelect} />;
}

/**
 * The proxy that the dialog shows: the one in the URL, as it was when the dialog opened, or the one that was just
 * bought. The latter is no longer in the URL, because a reload must not look for it in the catalogue.
 */
function useSelected(shownId: string | undefined, rows: readonly Proxy[] | undefined) {
  const [opened, setOpened] = useState<Proxy>();
  const [bought, setBought] = useState<Proxy>();
  const listed = rows?.find(({ id }) => id === shownId);
  const shown = opened !== undefined && opened.id === shownId ? opened : listed;
  if (shown !== opened) setOpened(shown);
  return { selected: bought ?? shown, setBought, forget: () => setOpened(undefined) };
}
