import { z } from 'zod';
import { parseAmount } from '../../format/amount.ts';

/** A form field with dollars in the notation of the user's language. @returns undefined for an empty field */
export function amountText(schema: z.ZodType<number, number>) {
  return z
    .string()
    .transform((text, context) => {
      if (text.trim() === '') return undefined;
      const amount = parseAmount(text);
      if (amount !== undefined) return amount;
      context.issues.push({ code: 'custom', message: 'amount', input: text });
      return z.NEVER;
    })
    .pipe(schema.optional());
}
