import { getRouteApi } from '@tanstack/react-router';
import { ConnectionsPage } from '../../features/connections/connections-page.tsx';

const route = getRouteApi('/members/connection-history');

export function ConnectionsScreen() {
  const { page } = route.useSearch();
  const navigate = route.useNavigate();
  return <ConnectionsPage page={page ?? 1} onPage={(chosen) => void navigate({ search: { page: chosen } })} />;
}
