/** Building blocks of the wire format that every domain shares. */
import { z } from 'zod';
import { errorCodes } from './errors.ts';
import { PAGE_SIZE, PAGE_SIZE_MAX } from './limits.ts';
import { isDollarAmount } from './units.ts';

export const languageCodeSchema = z.enum(['en', 'ru']);
export type LanguageCode = z.infer<typeof languageCodeSchema>;

export const idSchema = z.uuid();
export const idParams = z.strictObject({ id: idSchema });
/** ISO 8601 in UTC. */
export const dateSchema = z.iso.datetime();

/** Nothing of this service is older or lasts longer; databases and programs agree on all dates in between. */
const EARLIEST_DATE_MS = Date.UTC(1970);
const LATEST_DATE_MS = Date.UTC(2200);

/** A date that a caller sends. What lies outside of 1970 to 2200 stands for the nearer end; it is exact to the millisecond. */
export const dateInputSchema = dateSchema.overwrite(toUsualDate);

function toUsualDate(text: string): string {
  const milliseconds = Date.parse(text);
  // What is no date has been refused by the schema before; nothing must be thrown here.
  if (Number.isNaN(milliseconds)) return text;
  return new Date(Math.min(Math.max(milliseconds, EARLIEST_DATE_MS), LATEST_DATE_MS)).toISOString();
}
/** US dollars with at most 6 decimals. */
export const dollarsSchema = z.number().refine(isDollarAmount, 'must be dollars with at most 6 decimals');
/** Milliseconds since 1970. */
export const epochMsSchema = z.int().nonnegative();

/** The product specification's message, by which a form finds its own. */
export const ONLY_SPACES = 'Field cannot contain only spaces';

/** By which a form finds its own text, as above. */
export const EASY_PASSWORD = 'Password is too easy to guess';

/** A text that people write and read as it is. */
export const plainText = (minimum: number, maximum: number) =>
  z
    .string()
    .min(minimum)
    .max(maximum)
    .refine((text) => text.trim() !== '', ONLY_SPACES);

/** Accepts `key=a` and `key=a&key=b`; always gives an array (or undefined). */
export const repeated = <T extends z.ZodType>(item: T, maximum: number) =>
  z.preprocess(
    (value) => (value === undefined || Array.isArray(value) ? value : [value]),
    z.array(item).max(maximum).optional(),
  ) as unknown as z.ZodOptional<z.ZodArray<T>>;

export const data = <T extends z.ZodType>(item: T) => z.object({ data: item });
/** `totalPages` is 0 for an empty list. */
export const paged = <T extends z.ZodType>(item: T) =>
  z.object({ data: z.array(item), totalPages: z.int().nonnegative() });

export const pageQuery = {
  page: z.coerce.number().int().min(1).max(1_000_000).default(1),
  size: z.coerce.number().int().min(1).max(PAGE_SIZE_MAX).default(PAGE_SIZE),
};

export const errorBodySchema = z.object({
  statusCode: z.int(),
  /** The HTTP reason phrase. */
  error: z.string(),
  code: z.enum(errorCodes),
  message: z.string(),
  details: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
});
export type ErrorBody = z.infer<typeof errorBodySchema>;
