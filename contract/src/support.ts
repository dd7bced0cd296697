/** Support tickets: what a user asks, and the talk about it. */
import { z } from 'zod';
import { endpoint } from './endpoint.ts';
import {
  TICKET_DESCRIPTION_LENGTH_MAX,
  TICKET_MESSAGE_LENGTH_MAX,
  TICKET_NAME_LENGTH_MAX,
  TICKET_TEXT_LENGTH_MIN,
} from './limits.ts';
import { data, dateSchema, idParams, idSchema, paged, pageQuery } from './schemas.ts';

export const ticketStatuses = ['OPEN', 'CLOSED'] as const;
export type TicketStatus = (typeof ticketStatuses)[number];

export const ticketSchema = z.object({
  id: idSchema,
  name: z.string(),
  description: z.string(),
  status: z.enum(ticketStatuses),
  createdAt: dateSchema,
});
export type Ticket = z.infer<typeof ticketSchema>;

export const ticketMessageSchema = z.object({
  id: idSchema,
  content: z.string(),
  /** Written by the user, not by the support team. */
  isUser: z.boolean(),
  createdAt: dateSchema,
});
export type TicketMessage = z.infer<typeof ticketMessageSchema>;

const notBlank = (text: string) => text.trim() !== '';

export const createTicketBody = z.strictObject({
  name: z.string().min(TICKET_TEXT_LENGTH_MIN).max(TICKET_NAME_LENGTH_MAX),
  description: z.string().min(TICKET_TEXT_LENGTH_MIN).max(TICKET_DESCRIPTION_LENGTH_MAX),
});
export type CreateTicketBody = z.infer<typeof createTicketBody>;

export const ticketMessageBody = z.strictObject({
  content: z.string().min(1).max(TICKET_MESSAGE_LENGTH_MAX).refine(notBlank, 'onlySpaces'),
});
export type TicketMessageBody = z.infer<typeof ticketMessageBody>;

export const listTickets = endpoint({
  method: 'GET',
  url: '/v1/support/tickets',
  access: 'user',
  summary: "The user's tickets, newest first",
  query: z.strictObject(pageQuery),
  response: paged(ticketSchema),
});

export const getTicket = endpoint({
  method: 'GET',
  url: '/v1/support/tickets/{id}',
  access: 'user',
  summary: 'One ticket of the user',
  params: idParams,
  response: data(ticketSchema),
  errors: ['NOT_FOUND'],
});

export const createTicket = endpoint({
  method: 'POST',
  url: '/v1/support/tickets',
  access: 'user',
  summary: 'Open a ticket',
  body: createTicketBody,
  response: data(ticketSchema),
  status: 201,
});

export const updateTicket = endpoint({
  method: 'PATCH',
  url: '/v1/support/tickets/{id}',
  access: 'user',
  summary: 'Close a ticket',
  params: idParams,
  body: z.strictObject({ status: z.literal('CLOSED') }),
  response: data(ticketSchema),
  errors: ['NOT_FOUND', 'TICKET_CLOSED'],
});

export const listTicketMessages = endpoint({
  method: 'GET',
  url: '/v1/support/tickets/{id}/messages',
  access: 'user',
  summary: 'Messages of a ticket, newest first',
  params: idParams,
  query: z.strictObject(pageQuery),
  response: paged(ticketMessageSchema),
  errors: ['NOT_FOUND'],
});

export const createTicketMessage = endpoint({
  method: 'POST',
  url: '/v1/support/tickets/{id}/messages',
  access: 'user',
  summary: 'Write a message to the support team',
  params: idParams,
  body: ticketMessageBody,
  response: data(ticketMessageSchema),
  status: 201,
  errors: ['NOT_FOUND', 'TICKET_CLOSED'],
});
