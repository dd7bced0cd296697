import { prefetchProxies } from '../../features/proxies/api.ts';
import { ProxiesPage } from '../../features/proxies/proxies-page.tsx';
import { proxySearch } from '../../features/proxies/screen.ts';
import { lazyPart } from '../../loading/use-lazy-part.ts';

const purchaseDialog = lazyPart(async () => (await import('./purchase-dialog.tsx')).PurchaseDialog);

export function prefetchCatalogue(search: object): void {
  prefetchProxies(proxySearch({ ...search }));
}

export function ProxiesScreen() {
  return <ProxiesPage purchaseDialog={purchaseDialog} />;
}
