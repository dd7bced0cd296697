import { getRouteApi } from '@tanstack/react-router';
import { staffTicketsSearch } from '../../features/staff-tickets/screen.ts';
import { TicketsPage } from '../../features/staff-tickets/tickets-page.tsx';

const route = getRouteApi('/members/admin/tickets');

export function TicketsScreen() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <TicketsPage
      search={search}
      onFilter={(filter) =>
        void navigate({ search: staffTicketsSearch({ ...search, ...filter, page: undefined }), replace: true })
      }
      onPage={(page) => void navigate({ search: staffTicketsSearch({ ...search, page }) })}
      onCreating={(create) => void navigate({ search: staffTicketsSearch({ ...search, create }), replace: !create })}
      onCreated={({ id }) => void navigate({ to: '/admin/tickets/$ticketId', params: { ticketId: id }, replace: true })}
    />
  );
}
