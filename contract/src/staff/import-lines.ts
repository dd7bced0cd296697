/** The lines of imported files: what staff say about all of them, and how each was read. */
import { z } from 'zod';
import { isCountryCode } from '../countries.values.ts';
import { FILTER_VALUE_LENGTH_MAX, NODE_NAME_LENGTH_MAX } from '../limits.ts';
import { dollarsSchema, numberInUrl, plainText, proxyPriceSchema } from '../schemas.ts';
import { lineKinds, lineOrders } from './inventory.values.ts';

/** How a line was read. */
export const previewRowSchema = z.object({
  /** From 1. */
  line: z.int(),
  /** Null: it waits until a check of its exit has seen the address. */
  ip: z.string().nullable(),
  /** Without credentials: `***`. */
  exit: z.string(),
  node: z.string(),
  place: z.string(),
  price: dollarsSchema,
  /** It has a link for the change of the address, which is not shown. */
  hasLink: z.boolean(),
});
export type PreviewRow = z.infer<typeof previewRowSchema>;

/** What a file does not say, for all of its lines. */
export const importDefaults = {
  price: numberInUrl(proxyPriceSchema).optional(),
  countryCode: z.string().refine(isCountryCode, 'must be the code of a country').optional(),
  isp: plainText(1, FILTER_VALUE_LENGTH_MAX).optional(),
  connectionType: plainText(1, FILTER_VALUE_LENGTH_MAX).optional(),
  node: plainText(1, NODE_NAME_LENGTH_MAX).optional(),
  exitKind: z.enum(lineKinds).optional(),
  /** For lines that can be read in both orders. */
  order: z.enum(lineOrders).optional(),
};
export const importDefaultsSchema = z.object(importDefaults);
export type ImportDefaults = z.infer<typeof importDefaultsSchema>;
