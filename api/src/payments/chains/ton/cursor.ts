/** What a poll leaves for the next one: times of the masterchain, because later blocks may contain transactions with smaller logical times. */
import { z } from 'zod';

const seconds = z.number().int().nonnegative();

const cursorSchema = z.object({
  /** The block of the masterchain up to which addresses with open invoices were read, and its time. */
  seqno: z.number().int().nonnegative(),
  time: seconds,
  /** Up to here all addresses were read. */
  allTime: seconds,
  /** The others are read in parts: up to this time, those after this address are left. */
  part: z.object({ until: seconds, after: z.string().max(64) }).optional(),
});

export type TonCursor = z.output<typeof cursorSchema>;

/** @throws ZodError if it was not written by `writeCursor` */
export const readCursor = (text: string): TonCursor => cursorSchema.parse(JSON.parse(text));

export const writeCursor = (cursor: TonCursor): string => JSON.stringify(cursor);
