import { getRouteApi } from '@tanstack/react-router';
import { ConnectionAccess } from '../../features/connections/connection-access.tsx';
import { ProxiesPage } from '../../features/proxies/proxies-page.tsx';
import { proxySearch } from '../search.ts';

const route = getRouteApi('/members/proxies');

export function ProxiesScreen() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <ProxiesPage
      search={search}
      onSearch={(chosen) => void navigate({ search: proxySearch(chosen) })}
      renderAccess={(connection) => <ConnectionAccess connection={connection} />}
    />
  );
}
