import type { StaffTicket, StaffTicketMessage, TicketNote } from '@cellhop/contract/staff/tickets';
import type { Ticket, TicketFile, TicketMessage } from '@cellhop/contract/tickets';
import type { NoteRow, StaffMessageRow, StaffTicketRow } from './staff-tickets.store.ts';
import type { MessageRow, TicketRow } from './tickets.store.ts';

export function presentTicket({ id, name, description, status, createdAt }: TicketRow): Ticket {
  return { id, name, description, status, createdAt: createdAt.toISOString() };
}

export function presentForStaff(row: StaffTicketRow): StaffTicket {
  return {
    ...presentTicket(row),
    user: { id: row.userId, email: row.userEmail, languageCode: row.languageCode },
    assignee: row.assigneeId === null ? null : { id: row.assigneeId, email: row.assigneeEmail! },
    waitingSince: row.waitingSince?.toISOString() ?? null,
    version: row.version,
  };
}

export function presentMessage({ id, content, isUser, createdAt }: MessageRow, files: TicketFile[]): TicketMessage {
  return { id, content, isUser, files, createdAt: createdAt.toISOString() };
}

export function presentMessageForStaff(row: StaffMessageRow, files: TicketFile[]): StaffTicketMessage {
  return { ...presentMessage(row, files), author: { id: row.authorId, email: row.authorEmail } };
}

export function presentNote({ id, content, authorId, authorEmail, createdAt }: NoteRow): TicketNote {
  return { id, content, author: { id: authorId, email: authorEmail }, createdAt: createdAt.toISOString() };
}
