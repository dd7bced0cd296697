import { getRouteApi } from '@tanstack/react-router';
import { staffTicketSearch } from '../../features/staff-tickets/screen.ts';
import { TicketPage } from '../../features/staff-tickets/ticket-page.tsx';

const route = getRouteApi('/members/admin/tickets/$ticketId');

export function TicketScreen() {
  const { ticketId } = route.useParams();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <TicketPage
      // Resets the draft and the messages for another ticket.
      key={ticketId}
      id={ticketId}
      page={search.page ?? 1}
      notesPage={search.notes ?? 1}
      onPage={(page) => void navigate({ search: staffTicketSearch({ ...search, page }) })}
      onNotesPage={(notes) => void navigate({ search: staffTicketSearch({ ...search, notes }) })}
    />
  );
}
