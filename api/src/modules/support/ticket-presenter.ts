import type { AdminTicket, Ticket, TicketMessage } from '@cellhop/contract/support';
import type { MessageRow, TicketRow } from './support.store.ts';

export function presentTicket({ id, name, description, status, createdAt }: TicketRow): Ticket {
  return { id, name, description, status, createdAt: createdAt.toISOString() };
}

export function presentForAdmin(row: TicketRow): AdminTicket {
  return { ...presentTicket(row), user: { id: row.userId, email: row.userEmail } };
}

export function presentMessage({ id, content, isUser, createdAt }: MessageRow): TicketMessage {
  return { id, content, isUser, createdAt: createdAt.toISOString() };
}
