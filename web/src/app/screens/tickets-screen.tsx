import { getRouteApi } from '@tanstack/react-router';
import { TicketsPage } from '../../features/tickets/tickets-page.tsx';
import { creatingSearch, pageSearch } from '../../loading/search-values.ts';

const route = getRouteApi('/members/support/tickets');

export function TicketsScreen() {
  const { page, create } = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <TicketsPage
      page={page ?? 1}
      isCreating={create === true}
      onPage={(chosen) => void navigate({ search: pageSearch({ page: chosen }) })}
      onCreating={(isCreating) =>
        void navigate({ search: creatingSearch({ page, create: isCreating }), replace: !isCreating })
      }
      onCreated={({ id }) =>
        void navigate({ to: '/support/tickets/$ticketId', params: { ticketId: id }, replace: true })
      }
    />
  );
}
