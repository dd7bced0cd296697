import { getRouteApi } from '@tanstack/react-router';
import { InvoicesPage } from '../../features/invoices/invoices-page.tsx';
import { invoicesSearch } from '../../features/invoices/screen.ts';

const route = getRouteApi('/members/payments/invoices');

export function InvoicesScreen() {
  const { page, create, invoice } = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <InvoicesPage
      page={page ?? 1}
      isCreating={create === true}
      shownId={invoice}
      onPage={(chosen) => void navigate({ search: invoicesSearch({ page: chosen }) })}
      onCreating={(isCreating) =>
        void navigate({ search: invoicesSearch({ page, create: isCreating }), replace: !isCreating })
      }
      // Replaces the history entry: the back button must not reopen the dialog.
      onCreated={(id) => void navigate({ search: invoicesSearch({ invoice: id }), replace: true })}
      onShow={(id) =>
        void navigate({
          search: invoicesSearch({ page, invoice: id }),
          replace: id === undefined,
          resetScroll: false,
        })
      }
    />
  );
}
