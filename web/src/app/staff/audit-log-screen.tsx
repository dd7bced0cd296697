import { getRouteApi } from '@tanstack/react-router';
import { AuditLogPage } from '../../features/staff-audit-log/audit-log-page.tsx';

const route = getRouteApi('/members/admin/audit-log');

export function AuditLogScreen() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  return <AuditLogPage search={search} onSearch={(change) => void navigate({ search: { ...search, ...change } })} />;
}
