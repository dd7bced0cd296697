import { z } from 'zod';
import { type NumberKindName, numberKinds, readNumber } from './number-kinds.ts';

/**
 * A field of a form with a number as the user types it; empty is undefined. The schema has the bounds of the API; the field
 * (`ui/number-field.tsx`) has the same ones and says them in its own notation.
 */
export function numberText<S extends z.ZodType<unknown, number | undefined>>(kind: NumberKindName, schema: S) {
  return z
    .string()
    .transform((text, context) => {
      const { value } = readNumber(kind, text);
      if (value !== undefined || text.trim() === '') return value;
      context.issues.push({ code: 'custom', message: numberKinds[kind].fault, input: text });
      return z.NEVER;
    })
    .pipe(schema);
}
