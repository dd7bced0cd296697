/** The operator's legal texts: terms, acceptable use, privacy, refunds and imprint. */
import { z } from 'zod';
import { endpoint } from './endpoint.ts';
import { legalDocuments } from './legal-documents.ts';
import { data, languageCodeSchema } from './schemas.ts';

export const getLegalText = endpoint({
  method: 'GET',
  url: '/v1/legal/{document}',
  access: 'public',
  summary: "The operator's own text of a document; null: the web app's default text applies",
  params: z.strictObject({ document: z.enum(legalDocuments) }),
  query: z.strictObject({ languageCode: languageCodeSchema }),
  /** Plain text. Empty lines separate paragraphs; a paragraph that starts with `# ` is a heading. */
  response: data(z.object({ text: z.string().nullable() })),
});
