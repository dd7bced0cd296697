import { getRouteApi } from '@tanstack/react-router';
import { DashboardPage } from '../../features/staff-dashboard/dashboard-page.tsx';
import { dashboardSearch } from '../../features/staff-dashboard/screen.ts';

const route = getRouteApi('/members/admin');

export function DashboardScreen() {
  const { range, from, to } = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <DashboardPage
      range={from !== undefined && to !== undefined ? { from, to } : { preset: range ?? 'week' }}
      onRange={(chosen) =>
        void navigate({ search: dashboardSearch('from' in chosen ? { ...chosen } : { range: chosen.preset }) })
      }
    />
  );
}
