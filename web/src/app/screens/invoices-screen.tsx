import { getRouteApi } from '@tanstack/react-router';
import { InvoicesPage } from '../../features/invoices/invoices-page.tsx';
import { creatingSearch, pageSearch } from '../search.ts';

const route = getRouteApi('/members/payments/invoices');

export function InvoicesScreen() {
  const { page, create } = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <InvoicesPage
      page={page ?? 1}
      isCreating={create === true}
      onPage={(chosen) => void navigate({ search: pageSearch({ page: chosen }) })}
      onCreating={(isCreating) =>
        void navigate({ search: creatingSearch({ page, create: isCreating }), replace: !isCreating })
      }
    />
  );
}
