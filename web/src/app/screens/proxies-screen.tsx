import { getRouteApi } from '@tanstack/react-router';
import { useCallback } from 'react';
import { askForProxies } from '../../features/proxies/api.ts';
import { ProxiesPage } from '../../features/proxies/proxies-page.tsx';
import { lazyPart } from '../../lib/use-lazy-part.ts';
import { catalogueSearch, proxySearch } from '../../features/proxies/screen.ts';

const route = getRouteApi('/members/proxies');
const purchaseDialog = lazyPart(async () => (await import('./purchase-dialog.tsx')).PurchaseDialog);

export function askForCatalogue(search: object): void {
  askForProxies(proxySearch({ ...search }));
}

export function ProxiesScreen() {
  const { proxy, ...search } = route.useSearch();
  const navigate = route.useNavigate();
  // The same function each time: with another one all rows would be rendered again.
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
      shownId={proxy}
      onShow={show}
      onSearch={(chosen) => void navigate({ search: proxySearch(chosen) })}
      purchaseDialog={purchaseDialog}
    />
  );
}
