import { plain } from './endpoint.ts';
import type * as full from './support.ts';

export const ticketStatuses = ['OPEN', 'CLOSED'] as const;

export const listTickets = plain<typeof full.listTickets>({
  method: 'GET',
  url: '/v1/support/tickets',
  access: 'user',
});
export const createTicket = plain<typeof full.createTicket>({
  method: 'POST',
  url: '/v1/support/tickets',
  access: 'user',
});
export const getTicket = plain<typeof full.getTicket>({
  method: 'GET',
  url: '/v1/support/tickets/{id}',
  access: 'user',
});
export const closeTicket = plain<typeof full.closeTicket>({
  method: 'PATCH',
  url: '/v1/support/tickets/{id}',
  access: 'user',
});
export const listTicketMessages = plain<typeof full.listTicketMessages>({
  method: 'GET',
  url: '/v1/support/tickets/{id}/messages',
  access: 'user',
});
export const sendTicketMessage = plain<typeof full.sendTicketMessage>({
  method: 'POST',
  url: '/v1/support/tickets/{id}/messages',
  access: 'user',
});
