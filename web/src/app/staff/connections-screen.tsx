import { getRouteApi } from '@tanstack/react-router';
import { ConnectionsPage } from '../../features/staff-connections/connections-page.tsx';
import { staffConnectionsSearch } from '../../features/staff-connections/screen.ts';

const route = getRouteApi('/members/admin/connections');

export function ConnectionsScreen() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <ConnectionsPage
      search={search}
      onSearch={(change) =>
        void navigate({ search: staffConnectionsSearch({ ...search, ...change }), resetScroll: false })
      }
    />
  );
}
