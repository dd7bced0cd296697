import { z } from 'zod';
import { emailSchema } from '../auth.forms.ts';
import { idSchema, plainText } from '../fields.ts';
import { TICKET_MESSAGE_LENGTH_MAX, CANNED_REPLY_TITLE_LENGTH_MAX, CANNED_REPLY_TITLE_LENGTH_MIN } from '../limits.ts';
import { createTicketBody } from '../tickets.forms.ts';

/** The customer: by id or by email. */
export const createTicketForUserBody = createTicketBody
  .extend({ userId: idSchema.optional(), email: emailSchema.optional() })
  .refine(({ userId, email }) => (userId === undefined) !== (email === undefined), {
    path: ['email'],
    message: 'Give either userId or email',
  });
export type CreateTicketForUserBody = z.infer<typeof createTicketForUserBody>;

export const ticketNoteBody = z.strictObject({ content: plainText(1, TICKET_MESSAGE_LENGTH_MAX) });
export type TicketNoteBody = z.infer<typeof ticketNoteBody>;

const contentSchema = plainText(1, TICKET_MESSAGE_LENGTH_MAX);

export const cannedReplyBody = z.strictObject({
  /** For staff. */
  title: plainText(CANNED_REPLY_TITLE_LENGTH_MIN, CANNED_REPLY_TITLE_LENGTH_MAX),
  /** In each language; the customer's is used. */
  contentEn: contentSchema,
  contentRu: contentSchema,
});
export type CannedReplyBody = z.infer<typeof cannedReplyBody>;
