import { z } from 'zod';
import { endpoint } from './endpoint.ts';
import { data, idSchema, languageCodeSchema } from './schemas.ts';

export const faqSchema = z.object({ id: idSchema, question: z.string(), response: z.string() });
export type Faq = z.infer<typeof faqSchema>;

export const listFaq = endpoint({
  method: 'GET',
  url: '/v1/faqs',
  access: 'user',
  summary: "Questions and answers in one language, by default the user's, in order",
  query: z.strictObject({ languageCode: languageCodeSchema.optional() }),
  response: data(z.array(faqSchema)),
});
