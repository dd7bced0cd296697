import { getRouteApi } from '@tanstack/react-router';
import { useCallback } from 'react';
import { prefetchProxies } from '../../features/proxies/api.ts';
import { ProxiesPage } from '../../features/proxies/proxies-page.tsx';
import { lazyPart } from '../../loading/use-lazy-part.ts';
import { catalogueSearch, proxySearch } from '../../features/proxies/screen.ts';

const route = getRouteApi('/members/proxies');
const purchaseDialog = lazyPart(async () => (await import('./purchase-dialog.tsx')).PurchaseDialog);

export function prefetchCatalogue(search: object): void {
  prefetchProxies(proxySearch({ ...search }));
}

export function ProxiesScreen() {
  const found = route.useSearch();
  // Only the known parameters: the router adds all others of the address.
  const search = proxySearch(found);
  const navigate = route.useNavigate();
  // A stable function, because a new one would render all rows again.
  const show = useCallback(
    (id: string | undefined) =>
      void navigate({
        search: (current) => catalogueSearch({ ...current, proxy: id }),
        replace: id === undefined,
        resetScroll: false,
      }),
    [navigate],
  );
  return (
    <ProxiesPage
      search={search}
      shownId={found.proxy}
      onShow={show}
      onSearch={(chosen) => void navigate({ search: proxySearch(chosen) })}
      purchaseDialog={purchaseDialog}
    />
  );
}
