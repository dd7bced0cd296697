import { PROXY_SEARCH_MAX } from '@cellhop/contract/limits';
import type { Proxy, ProxyQuery } from '@cellhop/contract/proxies';
import { type ComponentType, useCallback, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { invalidate } from '../../data/query.ts';
import { showToast } from '../../ui/toasts.ts';
import { useApiQuery } from '../../data/use-api-query.ts';
import { type LazyPart, useLazyPart } from '../../loading/use-lazy-part.ts';
import { type List, useList } from '../../data/use-list.ts';
import { useScreenSearch } from '../../loading/use-screen.ts';
import { EmptyList, LoadFailure } from '../../ui/list-state.tsx';
import { OverlaySpinner } from '../../ui/spinner.tsx';
import { filterQuery, proxiesQuery } from './api.ts';
import classes from './proxies-page.module.css';
import { ProxiesTable } from './proxies-table.tsx';
import type { ProxyDialogProps } from './proxy-dialog.tsx';
import { FilterPanel } from './filter-panel.tsx';
import { catalogueSearch, proxiesScreen } from './screen.ts';

/** Without `renderAccess`, which the app provides. */
export type PurchaseDialogProps = Omit<ProxyDialogProps, 'renderAccess'>;

interface ProxiesPageProps {
  purchaseDialog: LazyPart<ComponentType<PurchaseDialogProps>>;
}

export function ProxiesPage({ purchaseDialog }: ProxiesPageProps) {
  const { search, searchFor, shownId, show } = useAddress();
  const { t } = useTranslation(['proxy', 'common']);
  const [PurchaseDialog, loadDialog] = useLazyPart(purchaseDialog);
  const filter = useApiQuery(filterQuery);
  const proxies = useList(proxiesQuery(search));
  const { rows } = proxies;
  const { selected, setBought, forget } = useSelected(shownId, rows);
  const isGone = shownId !== undefined && selected === undefined && rows !== undefined && !proxies.isFetching;

  const select = useCallback(
    ({ id }: Proxy) => {
      show(id);
      loadDialog();
    },
    [show, loadDialog],
  );

  useEffect(() => {
    if (selected !== undefined) loadDialog();
  }, [selected, loadDialog]);

  useEffect(() => {
    if (!isGone) return;
    showToast('warning', t('common:errors.PROXY_NOT_FOUND'));
    show(undefined);
  }, [isGone, show, t]);

  function find(chosen: ProxyQuery) {
    if (JSON.stringify(chosen) === JSON.stringify(search)) proxies.refetch();
    else searchFor(chosen);
  }

  return (
    <div className={classes['page']}>
      <SkipToOffers rows={rows} />
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
            show(undefined);
          }}
          onClose={() => {
            setBought(undefined);
            show(undefined);
          }}
          onGone={() => {
            show(undefined);
            void invalidate(['catalogue']);
          }}
          onPriceChanged={() => void invalidate(['catalogue']).then(forget)}
        />
      )}
    </div>
  );
}

const focusFirstOffer = () => document.querySelector<HTMLElement>('main [data-offer]')?.focus();

/** With the keyboard, the filter and the header are a dozen stops before the first proxy. */
function SkipToOffers({ rows }: { rows: readonly Proxy[] | undefined }) {
  const { t } = useTranslation('proxy');
  if (rows === undefined || rows.length === 0) return null;
  return (
    <button type="button" className={classes['skip']} onClick={focusFirstOffer}>
      {t('table.skip')}
    </button>
  );
}

/** The search, and the proxy whose purchase dialog is open. */
function useAddress() {
  const [{ proxy: shownId, ...search }, change] = useScreenSearch(proxiesScreen);
  // A stable function, because a new one would render all rows again.
  const show = useCallback(
    (id: string | undefined) => change({ proxy: id }, { replace: id === undefined, resetScroll: false }),
    [change],
  );
  return { search, searchFor: (chosen: ProxyQuery) => change(catalogueSearch({ ...chosen })), shownId, show };
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
