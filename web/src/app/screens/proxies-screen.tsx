import { prefetchProxies } from '../../features/proxies/api.ts';
import { ProxiesPage } from '../../features/proxies/proxies-page.tsx';
import { proxySearch } from '../../features/proxies/screen.ts';
import { loadTexts } from '../../i18n/setup.ts';
import { lazyPart } from '../../loading/use-lazy-part.ts';

const purchaseDialog = lazyPart(async () => {
  const code = import('./purchase-dialog.tsx');
  await loadTexts('proxyConnection')();
  return (await code).PurchaseDialog;
});

export function prefetchCatalogue(search: object): void {
  prefetchProxies(proxySearch({ ...search }));
}

export function ProxiesScreen() {
  return <ProxiesPage purchaseDialog={purchaseDialog} />;
}
