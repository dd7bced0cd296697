import type { FaqTexts } from '@cellhop/contract/staff/faq';
import { type FaqText, faqTextSchema } from '@cellhop/contract/staff/faq.forms';
import { z } from 'zod';
import { languages } from '../../i18n/languages.ts';

const textSchema = z.object({ question: z.string(), response: z.string() });

/** A language whose fields are both empty has no text. */
const optionalText = textSchema
  .transform((text): FaqText | null => (isBlank(text) ? null : text))
  .pipe(faqTextSchema.nullable());

export const entryForm = z.object({ en: optionalText, ru: optionalText }).superRefine((texts, context) => {
  if (languages.every((language) => texts[language] === null))
    context.addIssue({ code: 'custom', message: 'required', path: ['en', 'question'], input: '' });
});
export type EntryForm = z.input<typeof entryForm>;

export function toForm(texts: FaqTexts | undefined): EntryForm {
  const empty: FaqText = { question: '', response: '' };
  return { en: texts?.en ?? empty, ru: texts?.ru ?? empty };
}

function isBlank({ question, response }: FaqText): boolean {
  return question.trim() === '' && response.trim() === '';
}

/** The entry as customers would see it; undefined for a language without a text. */
export function toPreview({ question, response }: FaqText): FaqText | undefined {
  return isBlank({ question, response }) ? undefined : { question, response };
}
