/** What the watcher of an EVM chain remembers between polls. */
import { z } from 'zod';

/**
 * Blocks whose hashes are remembered, ascending: the last one that was read as final, those after it that contain payments, and
 * where each poll ended. Any change of the chain changes the hash of the last one.
 */
export type Checkpoint = readonly [height: number, hash: string];

/** States after the first height, up to those after the second one. */
export type StateRange = readonly [fromHeight: number, toHeight: number];

export interface EvmCursor {
  checkpoints: readonly Checkpoint[];
  /** Up to this height, all changes of the balances of the native coin are explained. Undefined: up to the first checkpoint. */
  statesHeight?: number | undefined;
  /** No source had these states, so that the native coin may have arrived from contracts. */
  unknownStates?: StateRange | undefined;
  /** Up to this height further sources were asked, too. */
  askedHeight?: number | undefined;
}

export const CHECKPOINTS_MAX = 300;

/** Releases before 0.3 ignore and drop the fields that they do not know: they read the same again, or less. */
const cursorSchema = z.object({
  checkpoints: z
    .array(z.tuple([z.number().int(), z.string()]))
    .min(1)
    .max(CHECKPOINTS_MAX),
  statesHeight: z.number().int().optional(),
  unknownStates: z.tuple([z.number().int(), z.number().int()]).optional(),
  askedHeight: z.number().int().optional(),
});

/** @throws ZodError if it was not written by `writeCursor` */
export const readCursor = (cursor: string): EvmCursor => cursorSchema.parse(JSON.parse(cursor));
export const writeCursor = (cursor: EvmCursor): string => JSON.stringify(cursor);

/** With what is between them, which may be read twice. */
export function mergeRanges(a: StateRange | undefined, b: StateRange): StateRange {
  return a ? [Math.min(a[0], b[0]), Math.max(a[1], b[1])] : b;
}
