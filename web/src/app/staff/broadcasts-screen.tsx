import { getRouteApi } from '@tanstack/react-router';
import { BroadcastsPage } from '../../features/staff-notifications/broadcasts-page.tsx';

const route = getRouteApi('/members/admin/broadcasts');

export function BroadcastsScreen() {
  const { page } = route.useSearch();
  const navigate = route.useNavigate();
  return <BroadcastsPage page={page ?? 1} onPage={(chosen) => void navigate({ search: { page: chosen } })} />;
}
