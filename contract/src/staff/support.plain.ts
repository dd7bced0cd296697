import { plain } from '../endpoint.ts';
import type * as full from './support.ts';

/**
 * `open`: newest first. `mine`: those assigned to the caller. `waiting`: the customer waits for staff, the longest wait first.
 * `oldest`: open, oldest first. `all` has closed ones too, newest first.
 */
export const ticketViews = ['all', 'open', 'mine', 'waiting', 'oldest'] as const;

export const listAllTickets = plain<typeof full.listAllTickets>({
  method: 'GET',
  url: '/v1/support/admin/tickets',
  access: { permission: 'TICKETS_READ' },
});
export const countTicketViews = plain<typeof full.countTicketViews>({
  method: 'GET',
  url: '/v1/support/admin/ticket-views',
  access: { permission: 'TICKETS_READ' },
});
export const measureFirstReplies = plain<typeof full.measureFirstReplies>({
  method: 'GET',
  url: '/v1/support/admin/first-replies',
  access: { permission: 'TICKETS_READ' },
});
export const createTicketForUser = plain<typeof full.createTicketForUser>({
  method: 'POST',
  url: '/v1/support/admin/tickets',
  access: { permission: 'TICKETS_EDIT' },
});
export const getAnyTicket = plain<typeof full.getAnyTicket>({
  method: 'GET',
  url: '/v1/support/admin/tickets/{id}',
  access: { permission: 'TICKETS_READ' },
});
export const closeAnyTicket = plain<typeof full.closeAnyTicket>({
  method: 'PATCH',
  url: '/v1/support/admin/tickets/{id}',
  access: { permission: 'TICKETS_EDIT' },
});
export const assignTicket = plain<typeof full.assignTicket>({
  method: 'PUT',
  url: '/v1/support/admin/tickets/{id}/assignee',
  access: { permission: 'TICKETS_MSG_WRITE' },
});
export const listAssignees = plain<typeof full.listAssignees>({
  method: 'GET',
  url: '/v1/support/admin/assignees',
  access: { permission: 'TICKETS_READ' },
});
export const listAnyTicketMessages = plain<typeof full.listAnyTicketMessages>({
  method: 'GET',
  url: '/v1/support/admin/tickets/{id}/messages',
  access: { permission: 'TICKETS_READ' },
});
export const answerTicket = plain<typeof full.answerTicket>({
  method: 'POST',
  url: '/v1/support/admin/tickets/{id}/messages',
  access: { permission: 'TICKETS_MSG_WRITE' },
});
export const listTicketNotes = plain<typeof full.listTicketNotes>({
  method: 'GET',
  url: '/v1/support/admin/tickets/{id}/notes',
  access: { permission: 'TICKETS_READ' },
});
export const writeTicketNote = plain<typeof full.writeTicketNote>({
  method: 'POST',
  url: '/v1/support/admin/tickets/{id}/notes',
  access: { permission: 'TICKETS_MSG_WRITE' },
});
export const getTicketBalance = plain<typeof full.getTicketBalance>({
  method: 'GET',
  url: '/v1/support/admin/tickets/{id}/balance',
  access: { permission: 'USERS_READ' },
});
export const listTicketConnections = plain<typeof full.listTicketConnections>({
  method: 'GET',
  url: '/v1/support/admin/tickets/{id}/connections',
  access: { permission: 'CONNECTIONS_READ' },
});
