import { AppError } from '@cellhop/contract/errors';
import type { TicketRow } from './tickets.store.ts';

/** @param ownerId null for staff, who see all tickets. @throws AppError NOT_FOUND */
export function requireTicket<Row extends TicketRow>(ticket: Row | undefined, ownerId: string | null): Row {
  if (!ticket || (ownerId !== null && ticket.userId !== ownerId)) throw new AppError('NOT_FOUND', { thing: 'Ticket' });
  return ticket;
}

/** @throws AppError TICKET_CLOSED */
export function requireOpen<Row extends TicketRow>(ticket: Row): Row {
  if (ticket.status !== 'OPEN') throw new AppError('TICKET_CLOSED');
  return ticket;
}
