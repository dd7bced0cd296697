import { getRouteApi } from '@tanstack/react-router';
import { ConnectionsPage } from '../../features/connections/connections-page.tsx';
import { connectionsSearch } from '../../features/connections/screen.ts';

const route = getRouteApi('/members/connection-history');

export function ConnectionsScreen() {
  const { page, connection } = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <ConnectionsPage
      page={page ?? 1}
      shownId={connection}
      onPage={(chosen) => void navigate({ search: connectionsSearch({ page: chosen }) })}
      onShow={(id) =>
        void navigate({
          search: connectionsSearch({ page, connection: id }),
          replace: id === undefined,
          resetScroll: false,
        })
      }
    />
  );
}
