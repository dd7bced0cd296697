import { getRouteApi } from '@tanstack/react-router';
import { InventoryPage } from '../../features/staff-inventory/inventory-page.tsx';
import { staffInventorySearch } from '../../features/staff-inventory/screen.ts';

const route = getRouteApi('/members/admin/proxies');

export function ProxiesScreen() {
  const { page, sort, ...filter } = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <InventoryPage
      filter={filter}
      sort={sort}
      page={page ?? 1}
      onFilter={(chosen) => void navigate({ search: staffInventorySearch({ ...chosen, sort }) })}
      onSort={(chosen) =>
        void navigate({ search: staffInventorySearch({ ...filter, sort: chosen }), resetScroll: false })
      }
      onPage={(chosen) => void navigate({ search: staffInventorySearch({ ...filter, sort, page: chosen }) })}
    />
  );
}
