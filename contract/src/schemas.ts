/** Building blocks of the wire format that every domain shares. */
import { z } from 'zod';
import { errorCodes } from './errors.ts';
import { LISTED_ROWS_MAX, PAGE_SIZE, PAGE_SIZE_MAX, PROXY_PRICE_MAX, PROXY_PRICE_STEP } from './limits.ts';
import { dollarsSchema, idSchema } from './fields.ts';

export {
  dateInputSchema,
  dateSchema,
  dollarsSchema,
  idSchema,
  languageCodeSchema,
  plainText,
  reasonSchema,
  type LanguageCode,
} from './fields.ts';

export const idParams = z.strictObject({ id: idSchema });
/** Milliseconds since 1970. */
export const epochMsSchema = z.int().nonnegative();

/** An IPv4 or IPv6 address. */
export const addressSchema = z.union([z.ipv4(), z.ipv6()]);

/** A number in a URL, in plain notation: `z.coerce.number` also reads "1e3", "0x10" and "". */
export const numberInUrl = (schema: z.ZodType<number>): z.ZodType<number> =>
  z.preprocess(
    (value) => (typeof value === 'string' && /^-?\d{1,16}(?:\.\d{1,6})?$/.test(value) ? Number(value) : value),
    schema,
  );

/**
 * Counts the changes of an object by staff. A request with an outdated version is refused with CHANGED_ELSEWHERE.
 */
export const versionSchema = z.int().nonnegative();
/** The same in a URL, for requests without a body. */
export const versionQuery = z.strictObject({ version: numberInUrl(versionSchema).optional() });

/** US dollars for 100 MB, with four decimals: one megabyte and fifty have exact prices. */
export const proxyPriceSchema = dollarsSchema
  .min(PROXY_PRICE_STEP)
  .max(PROXY_PRICE_MAX)
  .refine((price) => Number.isSafeInteger(Math.round(price * 1e6) / 100), 'must have at most 4 decimals');

/** Accepts `key=a` and `key=a&key=b`; always returns an array (or undefined). */
export const repeated = <T extends z.ZodType>(item: T, maximum: number) =>
  z.preprocess(
    (value) => (value === undefined || Array.isArray(value) ? value : [value]),
    z.array(item).max(maximum).optional(),
  ) as unknown as z.ZodOptional<z.ZodArray<T>>;

export const data = <T extends z.ZodType>(item: T) => z.object({ data: item });
/** `totalPages` is 0 for an empty list. */
export const paged = <T extends z.ZodType>(item: T) =>
  z.object({ data: z.array(item), totalPages: z.int().nonnegative() });

/**
 * A staff list: only its first rows can be paged through (LISTED_ROWS_MAX, or a lower limit of the list). `isTruncated`: there are more
 * rows, which narrower filters find.
 */
export const listed = <T extends z.ZodType>(item: T) => paged(item).extend({ isTruncated: z.boolean() });

export const pageQuery = {
  page: numberInUrl(z.int().min(1).max(1_000_000)).default(1),
  size: numberInUrl(z.int().min(1).max(PAGE_SIZE_MAX)).default(PAGE_SIZE),
};

/** Pages of staff's lists, which may have millions of rows. */
export const listQuery = {
  ...pageQuery,
  page: numberInUrl(z.int().min(1).max(LISTED_ROWS_MAX)).default(1),
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
