import { getRouteApi } from '@tanstack/react-router';
import { InvoicesPage } from '../../features/invoices/invoices-page.tsx';

const route = getRouteApi('/members/payments/invoices');

export function InvoicesScreen() {
  const { page } = route.useSearch();
  const navigate = route.useNavigate();
  return <InvoicesPage page={page ?? 1} onPage={(chosen) => void navigate({ search: { page: chosen } })} />;
}
