/** Tickets of all users, for staff: views, assignment, internal notes and the time to the first reply. */
import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import { TICKET_WORDS_LENGTH_MAX, TICKET_WORDS_LENGTH_MIN } from '../limits.ts';
import {
  data,
  dateInputSchema,
  dateSchema,
  dollarsSchema,
  idParams,
  idSchema,
  languageCodeSchema,
  listed,
  listQuery,
  paged,
  pageQuery,
  versionSchema,
} from '../schemas.ts';
import { closeTicketBody, ticketMessageBody, ticketMessageSchema, ticketSchema } from '../tickets.ts';
import { ticketStatuses } from '../tickets.values.ts';
import { staffConnectionSchema } from './connections.ts';
import { createTicketForUserBody, ticketNoteBody } from './tickets.forms.ts';
import { ticketViews } from './lists.values.ts';

export {
  createTicketForUserBody,
  type CreateTicketForUserBody,
  ticketNoteBody,
  type TicketNoteBody,
} from './tickets.forms.ts';

export type TicketView = (typeof ticketViews)[number];

const personSchema = z.object({ id: idSchema, email: z.string() });

export const staffTicketSchema = ticketSchema.extend({
  user: personSchema.extend({ languageCode: languageCodeSchema }),
  /** The member of staff who works on it. */
  assignee: personSchema.nullable(),
  /** Since when the customer waits for a message of staff; null if staff wrote last. */
  waitingSince: dateSchema.nullable(),
  version: versionSchema,
});
export type StaffTicket = z.infer<typeof staffTicketSchema>;

export const staffTicketMessageSchema = ticketMessageSchema.extend({ author: personSchema });
export type StaffTicketMessage = z.infer<typeof staffTicketMessageSchema>;

export const ticketNoteSchema = z.object({
  id: idSchema,
  content: z.string(),
  author: personSchema,
  createdAt: dateSchema,
});
export type TicketNote = z.infer<typeof ticketNoteSchema>;

/** `lastSeenMessageId`: the newest message that the author saw; null if there was none. If it is missing, nothing is checked. */
export const answerTicketBody = ticketMessageBody.extend({ lastSeenMessageId: idSchema.nullable().optional() });
export type AnswerTicketBody = z.infer<typeof answerTicketBody>;

export const assignTicketBody = z.strictObject({
  /** Null: unassigned. */
  assigneeId: idSchema.nullable(),
  version: versionSchema.optional(),
});
export type AssignTicketBody = z.infer<typeof assignTicketBody>;

const wordsSchema = z
  .string()
  .min(TICKET_WORDS_LENGTH_MIN)
  .max(TICKET_WORDS_LENGTH_MAX)
  .regex(/[\p{L}\p{N}]/u, 'must contain letters or digits');

export const listAllTickets = endpoint({
  method: 'GET',
  url: '/v1/support/admin/tickets',
  access: { permission: 'TICKETS_READ' },
  summary: 'Tickets of all users or of one, in the order of the view',
  query: z.strictObject({
    ...listQuery,
    view: z.enum(ticketViews).default('all'),
    userId: idSchema.optional(),
    status: z.enum(ticketStatuses).optional(),
    /** All of these words begin words of the name. */
    words: wordsSchema.optional(),
    /** The time of creation; inclusive. */
    from: dateInputSchema.optional(),
    /** Exclusive. */
    to: dateInputSchema.optional(),
  }),
  response: listed(staffTicketSchema),
});

export const countTicketViews = endpoint({
  method: 'GET',
  url: '/v1/support/admin/ticket-views',
  access: { permission: 'TICKETS_READ' },
  summary: 'How many open tickets each view has, at most 10,000',
  response: data(z.object({ open: z.int(), mine: z.int(), waiting: z.int(), oldest: z.int() })),
});

export const measureFirstReplies = endpoint({
  method: 'GET',
  url: '/v1/support/admin/first-replies',
  access: { permission: 'TICKETS_READ' },
  summary: 'The median time to the first reply of the tickets that were opened in a range, at most the newest 10,000',
  query: z.strictObject({ from: dateInputSchema, to: dateInputSchema }),
  response: data(z.object({ medianSeconds: z.number().nonnegative().nullable(), ticketCount: z.int() })),
});

export const createTicketForUser = endpoint({
  method: 'POST',
  url: '/v1/support/admin/tickets',
  access: { permission: 'TICKETS_EDIT' },
  summary: 'Open a ticket for a user; a repeat with the same Idempotency-Key returns the same ticket',
  body: createTicketForUserBody,
  response: data(staffTicketSchema),
  status: 201,
  errors: ['NOT_FOUND', 'IDEMPOTENCY_KEY_REUSED'],
});

export const getAnyTicket = endpoint({
  method: 'GET',
  url: '/v1/support/admin/tickets/{id}',
  access: { permission: 'TICKETS_READ' },
  summary: 'A ticket of any user',
  params: idParams,
  response: data(staffTicketSchema),
  errors: ['NOT_FOUND'],
});

export const closeAnyTicket = endpoint({
  method: 'PATCH',
  url: '/v1/support/admin/tickets/{id}',
  access: { permission: 'TICKETS_EDIT' },
  summary: 'Close a ticket of any user',
  params: idParams,
  body: closeTicketBody,
  response: data(staffTicketSchema),
  errors: ['NOT_FOUND', 'TICKET_CLOSED'],
});

export const assignTicket = endpoint({
  method: 'PUT',
  url: '/v1/support/admin/tickets/{id}/assignee',
  access: { permission: 'TICKETS_MSG_WRITE' },
  summary: 'Assign an open ticket to a member of staff who may answer it, or to nobody',
  params: idParams,
  body: assignTicketBody,
  response: data(staffTicketSchema),
  errors: ['NOT_FOUND', 'TICKET_CLOSED', 'CHANGED_ELSEWHERE'],
});

export const listAssignees = endpoint({
  method: 'GET',
  url: '/v1/support/admin/assignees',
  access: { permission: 'TICKETS_READ' },
  summary: 'The staff to whom tickets can be assigned, by email; the first 200',
  response: data(z.array(personSchema)),
});

export const listAnyTicketMessages = endpoint({
  method: 'GET',
  url: '/v1/support/admin/tickets/{id}/messages',
  access: { permission: 'TICKETS_READ' },
  summary: 'Messages of a ticket of any user with their authors, newest first',
  params: idParams,
  query: z.strictObject(pageQuery),
  response: paged(staffTicketMessageSchema),
  errors: ['NOT_FOUND'],
});

export const answerTicket = endpoint({
  method: 'POST',
  url: '/v1/support/admin/tickets/{id}/messages',
  access: { permission: 'TICKETS_MSG_WRITE' },
  summary:
    'Write to the user, and take the ticket if nobody works on it; a repeat with the same Idempotency-Key returns the same message. CHANGED_ELSEWHERE: other staff have answered since lastSeenMessageId',
  params: idParams,
  body: answerTicketBody,
  response: data(staffTicketMessageSchema),
  status: 201,
  errors: ['NOT_FOUND', 'TICKET_CLOSED', 'IDEMPOTENCY_KEY_REUSED', 'CHANGED_ELSEWHERE'],
});

export const listTicketNotes = endpoint({
  method: 'GET',
  url: '/v1/support/admin/tickets/{id}/notes',
  access: { permission: 'TICKETS_READ' },
  summary: 'Internal notes of a ticket, newest first; customers never see them',
  params: idParams,
  query: z.strictObject(pageQuery),
  response: paged(ticketNoteSchema),
  errors: ['NOT_FOUND'],
});

export const writeTicketNote = endpoint({
  method: 'POST',
  url: '/v1/support/admin/tickets/{id}/notes',
  access: { permission: 'TICKETS_MSG_WRITE' },
  summary: 'Write an internal note; a repeat with the same Idempotency-Key returns the same note',
  params: idParams,
  body: ticketNoteBody,
  response: data(ticketNoteSchema),
  status: 201,
  errors: ['NOT_FOUND', 'IDEMPOTENCY_KEY_REUSED'],
});

export const getTicketBalance = endpoint({
  method: 'GET',
  url: '/v1/support/admin/tickets/{id}/balance',
  access: { permission: 'USERS_READ' },
  summary: "The balance of the ticket's user",
  params: idParams,
  response: data(z.object({ balance: dollarsSchema })),
  errors: ['NOT_FOUND'],
});

export const listTicketConnections = endpoint({
  method: 'GET',
  url: '/v1/support/admin/tickets/{id}/connections',
  access: { permission: 'CONNECTIONS_READ' },
  summary: "The newest live connections of the ticket's user, at most 50",
  params: idParams,
  response: data(z.array(staffConnectionSchema)),
  errors: ['NOT_FOUND'],
});
