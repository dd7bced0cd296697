/** What a poll leaves for the next one. */
import { z } from 'zod';
import type { Checkpoint } from './bodies.ts';

export const BLOCKS_REMEMBERED = 300;

const height = z.number().int().nonnegative();

const cursorSchema = z.object({
  /** Ascending and without gaps; the last one is the last block that was read. */
  blocks: z
    .array(z.tuple([height, z.string().regex(/^[0-9a-f]{64}$/)]))
    .min(1)
    .max(BLOCKS_REMEMBERED),
  /** Up to here all blocks were solid when their logs were read, so that nothing in them changes any more. */
  settled: height,
  /** Up to here further sources were asked, too. Releases before 0.4 drop it. */
  asked: height.optional(),
});

export interface TronCursor {
  blocks: readonly Checkpoint[];
  settled: number;
  asked?: number | undefined;
}

/** @throws ZodError if it was not written by `writeCursor` */
export const readCursor = (text: string): TronCursor => cursorSchema.parse(JSON.parse(text));

export const writeCursor = ({ blocks, settled, asked }: TronCursor): string =>
  JSON.stringify({ blocks: blocks.slice(-BLOCKS_REMEMBERED), settled, asked });
