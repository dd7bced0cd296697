/** Building blocks that the web app's forms share with the API. Separate from schemas.ts, so that browsers load only these. */
import { z } from 'zod';
import { ONLY_SPACES } from './fields.values.ts';
import { REASON_LENGTH_MAX, REASON_LENGTH_MIN } from './limits.ts';
import { isDollarAmount } from './units.ts';

export const languageCodeSchema = z.enum(['en', 'ru']);
export type LanguageCode = z.infer<typeof languageCodeSchema>;

/** The database writes ids in lower case. One in capitals names the same row, so it must be equal to it wherever ids are compared. */
export const idSchema = z.uuid().toLowerCase();
/** ISO 8601 in UTC. */
export const dateSchema = z.iso.datetime();

/** All dates of this service are within this range, and PostgreSQL and JavaScript both represent it. */
const EARLIEST_DATE_MS = Date.UTC(1970);
const LATEST_DATE_MS = Date.UTC(2200);

/** A date from a caller, precise to the millisecond. Dates outside of 1970 to 2200 are clamped to that range. */
export const dateInputSchema = dateSchema.overwrite(clampDate);

function clampDate(text: string): string {
  const milliseconds = Date.parse(text);
  // The schema has refused invalid dates before; this must not throw.
  if (Number.isNaN(milliseconds)) return text;
  return new Date(Math.min(Math.max(milliseconds, EARLIEST_DATE_MS), LATEST_DATE_MS)).toISOString();
}

const NO_DOLLARS = 'must be dollars with at most 6 decimals';

/** US dollars with at most 6 decimals. */
export const dollarsSchema = z.number().refine(isDollarAmount, NO_DOLLARS);

/** The bounds are checked first, so that a huge amount is refused as too large. */
export const dollarsWithin = (minimum: number, maximum: number) =>
  z.number().min(minimum).max(maximum).refine(isDollarAmount, NO_DOLLARS);

/** Text without markup. */
export const plainText = (minimum: number, maximum: number) =>
  z
    .string()
    .min(minimum)
    .max(maximum)
    .refine((text) => text.trim() !== '', ONLY_SPACES);

/** Why a member of staff changes money or access; it is kept in the audit log. */
export const reasonSchema = plainText(REASON_LENGTH_MIN, REASON_LENGTH_MAX);
