import { z } from 'zod';
import { idSchema, plainText } from './fields.ts';
import {
  TICKET_DESCRIPTION_LENGTH_MAX,
  TICKET_DESCRIPTION_LENGTH_MIN,
  TICKET_FILES_PER_MESSAGE_MAX,
  TICKET_MESSAGE_LENGTH_MAX,
  TICKET_NAME_LENGTH_MAX,
  TICKET_NAME_LENGTH_MIN,
} from './limits.ts';

export const createTicketBody = z.strictObject({
  name: plainText(TICKET_NAME_LENGTH_MIN, TICKET_NAME_LENGTH_MAX),
  description: plainText(TICKET_DESCRIPTION_LENGTH_MIN, TICKET_DESCRIPTION_LENGTH_MAX),
});
export type CreateTicketBody = z.infer<typeof createTicketBody>;

export const ticketMessageBody = z.strictObject({
  content: plainText(1, TICKET_MESSAGE_LENGTH_MAX),
  /** Files that the author has uploaded for this ticket. */
  fileIds: z.array(idSchema).max(TICKET_FILES_PER_MESSAGE_MAX).optional(),
});
export type TicketMessageBody = z.infer<typeof ticketMessageBody>;
