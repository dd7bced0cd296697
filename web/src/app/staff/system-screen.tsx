import { getRouteApi } from '@tanstack/react-router';
import { SystemPage } from '../../features/staff-system/system-page.tsx';

const route = getRouteApi('/members/admin/system');

export function SystemScreen() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  return <SystemPage search={search} onSearch={(change) => void navigate({ search: { ...search, ...change } })} />;
}
