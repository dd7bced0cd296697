/** FAQ entries as staff edit them: a question with its answer in each language. */
import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import { data, dateSchema, idParams, idSchema, versionQuery, versionSchema } from '../schemas.ts';
import { faqTextSchema } from './faq.forms.ts';

export { faqTextSchema, type FaqText } from './faq.forms.ts';

const faqTextsSchema = z
  .strictObject({ en: faqTextSchema.nullable(), ru: faqTextSchema.nullable() })
  .refine(({ en, ru }) => en !== null || ru !== null, 'must have a text in at least one language');
/** Null: customers with this language do not see the entry. */
export type FaqTexts = z.infer<typeof faqTextsSchema>;

export const faqEntrySchema = z.object({
  id: idSchema,
  texts: faqTextsSchema,
  createdAt: dateSchema,
  updatedAt: dateSchema,
  version: versionSchema,
});
export type FaqEntry = z.infer<typeof faqEntrySchema>;

export const listFaqEntries = endpoint({
  method: 'GET',
  url: '/v1/faqs/admin',
  access: { permission: 'FAQ_READ' },
  summary: 'All FAQ entries in order',
  response: data(z.array(faqEntrySchema)),
});

export const createFaqEntry = endpoint({
  method: 'POST',
  url: '/v1/faqs/admin',
  access: { permission: 'FAQ_WRITE' },
  summary: 'Add an entry at the end; a repeat with the same Idempotency-Key returns the same one',
  body: z.strictObject({ texts: faqTextsSchema }),
  response: data(faqEntrySchema),
  status: 201,
  errors: ['IDEMPOTENCY_KEY_REUSED'],
});

export const changeFaqEntry = endpoint({
  method: 'PATCH',
  url: '/v1/faqs/admin/{id}',
  access: { permission: 'FAQ_EDIT' },
  summary: 'Replace the texts of an entry',
  params: idParams,
  body: z.strictObject({ texts: faqTextsSchema, version: versionSchema.optional() }),
  response: data(faqEntrySchema),
  errors: ['NOT_FOUND', 'CHANGED_ELSEWHERE'],
});

export const moveFaqEntry = endpoint({
  method: 'POST',
  url: '/v1/faqs/admin/{id}/move',
  access: { permission: 'FAQ_EDIT' },
  summary: 'Exchange an entry with the one above or below it; returns all entries in their new order',
  params: idParams,
  body: z.strictObject({ direction: z.enum(['UP', 'DOWN']), version: versionSchema.optional() }),
  response: data(z.array(faqEntrySchema)),
  errors: ['NOT_FOUND', 'CHANGED_ELSEWHERE'],
});

export const deleteFaqEntry = endpoint({
  method: 'DELETE',
  url: '/v1/faqs/admin/{id}',
  access: { permission: 'FAQ_DELETE' },
  summary: 'Delete an entry in all languages',
  params: idParams,
  query: versionQuery,
  response: data(z.object({ id: idSchema })),
  errors: ['NOT_FOUND', 'CHANGED_ELSEWHERE'],
});
