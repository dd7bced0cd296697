import { getRouteApi } from '@tanstack/react-router';
import { ApprovalsPage } from '../../features/staff-approvals/approvals-page.tsx';

const route = getRouteApi('/members/admin/approvals');

export function ApprovalsScreen() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  return <ApprovalsPage search={search} onSearch={(change) => void navigate({ search: { ...search, ...change } })} />;
}
