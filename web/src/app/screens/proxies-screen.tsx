import { ConnectionAccess } from '../../features/connections/connection-access.tsx';
import { ProxiesPage } from '../../features/proxies/proxies-page.tsx';

export function ProxiesScreen() {
  return <ProxiesPage renderAccess={(connection) => <ConnectionAccess connection={connection} />} />;
}
