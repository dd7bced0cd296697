import { z } from 'zod';
import { endpoint } from './endpoint.ts';
import {
  FAQ_POSITION_MAX,
  FAQ_QUESTION_LENGTH_MAX,
  FAQ_QUESTION_LENGTH_MIN,
  FAQ_RESPONSE_LENGTH_MAX,
  FAQ_RESPONSE_LENGTH_MIN,
} from './limits.ts';
import { data, dateSchema, idParams, idSchema, languageCodeSchema, paged, pageQuery, plainText } from './schemas.ts';

export const faqSchema = z.object({ id: idSchema, question: z.string(), response: z.string() });
export type Faq = z.infer<typeof faqSchema>;

export const adminFaqSchema = faqSchema.extend({
  languageCode: languageCodeSchema,
  position: z.int(),
  createdAt: dateSchema,
  updatedAt: dateSchema,
});
export type AdminFaq = z.infer<typeof adminFaqSchema>;

export const listFaqs = endpoint({
  method: 'GET',
  url: '/v1/faqs',
  access: 'user',
  summary: "Questions and answers in one language, by default the user's, in order",
  query: z.strictObject({ languageCode: languageCodeSchema.optional() }),
  response: data(z.array(faqSchema)),
});

export const listAllFaqs = endpoint({
  method: 'GET',
  url: '/v1/faqs/admin',
  access: { permission: 'FAQ_READ' },
  summary: 'Questions and answers of all languages or of one, in order',
  query: z.strictObject({ ...pageQuery, languageCode: languageCodeSchema.optional() }),
  response: paged(adminFaqSchema),
});

const question = plainText(FAQ_QUESTION_LENGTH_MIN, FAQ_QUESTION_LENGTH_MAX);
const response = plainText(FAQ_RESPONSE_LENGTH_MIN, FAQ_RESPONSE_LENGTH_MAX);
const position = z.int().min(0).max(FAQ_POSITION_MAX);

/** Without a `position` it comes last. */
export const createFaqBody = z.strictObject({
  languageCode: languageCodeSchema,
  question,
  response,
  position: position.optional(),
});
export type CreateFaqBody = z.infer<typeof createFaqBody>;

export const createFaq = endpoint({
  method: 'POST',
  url: '/v1/faqs/admin',
  access: { permission: 'FAQ_WRITE' },
  summary: 'Add a question and its answer',
  body: createFaqBody,
  response: data(adminFaqSchema),
  status: 201,
});

export const updateFaqBody = createFaqBody.partial();
export type UpdateFaqBody = z.infer<typeof updateFaqBody>;

export const updateFaq = endpoint({
  method: 'PATCH',
  url: '/v1/faqs/admin/{id}',
  access: { permission: 'FAQ_EDIT' },
  summary: 'Change a question; omitted fields keep their values',
  params: idParams,
  body: updateFaqBody,
  response: data(adminFaqSchema),
  errors: ['NOT_FOUND'],
});

export const deleteFaq = endpoint({
  method: 'DELETE',
  url: '/v1/faqs/admin/{id}',
  access: { permission: 'FAQ_DELETE' },
  summary: 'Remove a question',
  params: idParams,
  response: data(z.object({ id: idSchema })),
  errors: ['NOT_FOUND'],
});
