import { getRouteApi } from '@tanstack/react-router';
import { TicketPage } from '../../features/tickets/ticket-page.tsx';
import { pageSearch } from '../../loading/search-values.ts';

const route = getRouteApi('/members/support/tickets/$ticketId');

export function TicketScreen() {
  const { ticketId } = route.useParams();
  const { page } = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <TicketPage
      // Resets the draft and the messages for another ticket.
      key={ticketId}
      id={ticketId}
      page={page ?? 1}
      onPage={(chosen) => void navigate({ search: pageSearch({ page: chosen }) })}
    />
  );
}
