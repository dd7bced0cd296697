import { z } from 'zod';
import { plainText } from '../fields.ts';
import {
  FAQ_QUESTION_LENGTH_MAX,
  FAQ_QUESTION_LENGTH_MIN,
  FAQ_RESPONSE_LENGTH_MAX,
  FAQ_RESPONSE_LENGTH_MIN,
} from '../limits.ts';

export const faqTextSchema = z.strictObject({
  question: plainText(FAQ_QUESTION_LENGTH_MIN, FAQ_QUESTION_LENGTH_MAX),
  response: plainText(FAQ_RESPONSE_LENGTH_MIN, FAQ_RESPONSE_LENGTH_MAX),
});
export type FaqText = z.infer<typeof faqTextSchema>;
