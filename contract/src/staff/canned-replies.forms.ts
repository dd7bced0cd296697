import { z } from 'zod';
import { plainText } from '../fields.ts';
import { CANNED_REPLY_TITLE_LENGTH_MAX, CANNED_REPLY_TITLE_LENGTH_MIN, TICKET_MESSAGE_LENGTH_MAX } from '../limits.ts';

const contentSchema = plainText(1, TICKET_MESSAGE_LENGTH_MAX);

export const cannedReplyBody = z.strictObject({
  /** For staff. */
  title: plainText(CANNED_REPLY_TITLE_LENGTH_MIN, CANNED_REPLY_TITLE_LENGTH_MAX),
  /** In each language; the customer's is used. */
  contentEn: contentSchema,
  contentRu: contentSchema,
});
export type CannedReplyBody = z.infer<typeof cannedReplyBody>;
