import { getRouteApi } from '@tanstack/react-router';
import { InvoicesPage } from '../../features/staff-invoices/invoices-page.tsx';

const route = getRouteApi('/members/admin/payment/invoices');

export function InvoicesScreen() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  return <InvoicesPage search={search} onSearch={(change) => void navigate({ search: { ...search, ...change } })} />;
}
