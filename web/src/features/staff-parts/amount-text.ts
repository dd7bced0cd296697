import i18next from 'i18next';
import { z } from 'zod';
import { FALLBACK_LANGUAGE, isLanguage } from '../../i18n/languages.ts';
import { parseAmount } from '../../lib/amount.ts';

/** A form field with dollars in the notation of the user's language. @returns undefined for an empty field */
export function amountText(schema: z.ZodType<number, number>) {
  return z
    .string()
    .transform((text, context) => {
      if (text.trim() === '') return undefined;
      const language = i18next.resolvedLanguage;
      const amount = parseAmount(text, isLanguage(language) ? language : FALLBACK_LANGUAGE);
      if (amount !== undefined) return amount;
      context.issues.push({ code: 'custom', message: 'amount', input: text });
      return z.NEVER;
    })
    .pipe(schema.optional());
}
