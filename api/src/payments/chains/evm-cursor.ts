import { z } from 'zod';

/**
 * Blocks whose hashes are remembered, ascending: the last one that was read as final, those after it that contain payments, and
 * where each poll ended. Any change of the chain changes the hash of the last one.
 */
export type Checkpoint = readonly [height: number, hash: string];

export const CHECKPOINTS_MAX = 300;

const cursorSchema = z.object({
  checkpoints: z
    .array(z.tuple([z.number().int(), z.string()]))
    .min(1)
    .max(CHECKPOINTS_MAX),
});

/** @throws ZodError if it was not written by `writeCursor` */
export const readCursor = (cursor: string): Checkpoint[] => cursorSchema.parse(JSON.parse(cursor)).checkpoints;
export const writeCursor = (checkpoints: readonly Checkpoint[]): string => JSON.stringify({ checkpoints });
