import { z } from 'zod';
import { endpoint } from './endpoint.ts';
import { createTicketBody, ticketMessageBody } from './tickets.forms.ts';
import { ticketFileTypes, ticketStatuses } from './tickets.values.ts';
import { data, dateSchema, idParams, idSchema, paged, pageQuery } from './schemas.ts';

export { createTicketBody, type CreateTicketBody, ticketMessageBody, type TicketMessageBody } from './tickets.forms.ts';

export type TicketStatus = (typeof ticketStatuses)[number];

export const ticketSchema = z.object({
  id: idSchema,
  name: z.string(),
  description: z.string(),
  status: z.enum(ticketStatuses),
  createdAt: dateSchema,
});
export type Ticket = z.infer<typeof ticketSchema>;

export type TicketFileType = (typeof ticketFileTypes)[number];

export const ticketFileSchema = z.object({
  id: idSchema,
  name: z.string(),
  type: z.enum(ticketFileTypes),
  /** In bytes. */
  size: z.int(),
});
export type TicketFile = z.infer<typeof ticketFileSchema>;

export const ticketMessageSchema = z.object({
  id: idSchema,
  /** Plain text. */
  content: z.string(),
  /** True if the ticket's user wrote it; false for the support team. */
  isUser: z.boolean(),
  files: z.array(ticketFileSchema),
  createdAt: dateSchema,
});
export type TicketMessage = z.infer<typeof ticketMessageSchema>;

/** A closed ticket cannot be reopened. */
export const closeTicketBody = z.strictObject({ status: z.literal('CLOSED') });

export const listTickets = endpoint({
  method: 'GET',
  url: '/v1/support/tickets',
  access: 'user',
  summary: "The user's tickets, newest first",
  query: z.strictObject(pageQuery),
  response: paged(ticketSchema),
});

export const createTicket = endpoint({
  method: 'POST',
  url: '/v1/support/tickets',
  access: 'user',
  summary: 'Open a ticket; a repeat with the same Idempotency-Key returns the same ticket',
  body: createTicketBody,
  response: data(ticketSchema),
  status: 201,
  errors: ['IDEMPOTENCY_KEY_REUSED'],
});

export const getTicket = endpoint({
  method: 'GET',
  url: '/v1/support/tickets/{id}',
  access: 'user',
  summary: "One of the user's tickets",
  params: idParams,
  response: data(ticketSchema),
  errors: ['NOT_FOUND'],
});

export const closeTicket = endpoint({
  method: 'PATCH',
  url: '/v1/support/tickets/{id}',
  access: 'user',
  summary: "Close one of the user's tickets",
  params: idParams,
  body: closeTicketBody,
  response: data(ticketSchema),
  errors: ['NOT_FOUND', 'TICKET_CLOSED'],
});

export const listTicketMessages = endpoint({
  method: 'GET',
  url: '/v1/support/tickets/{id}/messages',
  access: 'user',
  summary: "Messages of one of the user's tickets, newest first",
  params: idParams,
  query: z.strictObject(pageQuery),
  response: paged(ticketMessageSchema),
  errors: ['NOT_FOUND'],
});

export const sendTicketMessage = endpoint({
  method: 'POST',
  url: '/v1/support/tickets/{id}/messages',
  access: 'user',
  summary: 'Write to the support team; a repeat with the same Idempotency-Key returns the same message',
  params: idParams,
  body: ticketMessageBody,
  response: data(ticketMessageSchema),
  status: 201,
  errors: ['NOT_FOUND', 'TICKET_CLOSED', 'IDEMPOTENCY_KEY_REUSED'],
});
