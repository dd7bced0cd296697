import { getRouteApi } from '@tanstack/react-router';
import { askForProxies } from '../../features/proxies/api.ts';
import { ProxiesPage } from '../../features/proxies/proxies-page.tsx';
import { later } from '../../lib/use-later.ts';
import { proxySearch } from '../search.ts';

const route = getRouteApi('/members/proxies');
const purchaseDialog = later(async () => (await import('./purchase-dialog.tsx')).PurchaseDialog);

export function askForCatalogue(search: object): void {
  askForProxies(proxySearch({ ...search }));
}

export function ProxiesScreen() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <ProxiesPage
      search={search}
      onSearch={(chosen) => void navigate({ search: proxySearch(chosen) })}
      purchaseDialog={purchaseDialog}
    />
  );
}
