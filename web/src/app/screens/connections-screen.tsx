import { getRouteApi } from '@tanstack/react-router';
import { ConnectionsPage } from '../../features/connections/connections-page.tsx';
import { connectionsSearch } from '../../features/connections/screen.ts';

const route = getRouteApi('/members/connection-history');

export function ConnectionsScreen() {
  const search = connectionsSearch({ ...route.useSearch() });
  const navigate = route.useNavigate();
  return (
    <ConnectionsPage
      search={search}
      onSearch={(chosen) => void navigate({ search: connectionsSearch({ ...chosen }), replace: true })}
      onPage={(page) => void navigate({ search: connectionsSearch({ ...search, page, connection: undefined }) })}
      onShow={(id) =>
        void navigate({
          search: connectionsSearch({ ...search, connection: id }),
          replace: id === undefined,
          resetScroll: false,
        })
      }
    />
  );
}
