import { getRouteApi } from '@tanstack/react-router';
import { staffUsersSearch } from '../../features/staff-users/screen.ts';
import { UsersPage } from '../../features/staff-users/users-page.tsx';

const route = getRouteApi('/members/admin/users');

export function UsersScreen() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <UsersPage
      search={search}
      onSearch={(chosen) =>
        void navigate({ search: staffUsersSearch({ ...chosen }), replace: true, resetScroll: false })
      }
      onPage={(page) => void navigate({ search: staffUsersSearch({ ...search, page }) })}
    />
  );
}
