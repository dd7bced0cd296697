/** Deleting what has been kept long enough, however much of it there is. */
import type { Ctx } from './ctx.ts';

export interface CleanUpLimits {
  /** Rows of one statement: some milliseconds, far below the time limit of a statement. */
  batchRows?: number;
  /** What is left after these waits for the next run. */
  batchesMax?: number;
}

/**
 * Deletes in batches, each in a transaction of its own, so none is undone by the next one's failure and no row is locked for long.
 * @param deleteBatch deletes at most `limit` rows and returns how many there were; it must find them by an index
 * @returns how many went
 */
export async function cleanUp(
  ctx: Ctx,
  what: string,
  deleteBatch: (ctx: Ctx, limit: number) => Promise<number>,
  { batchRows = 1000, batchesMax = 1000 }: CleanUpLimits = {},
): Promise<number> {
  let deleted = 0;
  for (let batch = 0; batch < batchesMax; batch++) {
    const count = await deleteBatch(ctx, batchRows);
    deleted += count;
    if (count < batchRows) return deleted;
  }
  ctx.log.warn({ what, deleted }, 'a clean-up has more to delete than one run may; it goes on at the next one');
  return deleted;
}
