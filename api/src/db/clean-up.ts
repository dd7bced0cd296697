/** The only way in which old rows are deleted: in batches, however many there are. */
import type { Ctx } from '../ctx.ts';

export interface CleanUpLimits {
  /** Rows per statement: some milliseconds, far below the statement timeout. */
  batchRows?: number;
  /** The rest is deleted by the next run. */
  batchesMax?: number;
}

/**
 * Each batch is a transaction of its own, so a failure does not undo earlier batches and no row is locked for long.
 * @param deleteBatch deletes at most `limit` rows, found by an index, and returns the number of deleted rows
 * @returns the number of deleted rows
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
  ctx.log.warn({ what, deleted }, 'clean-up reached its limit; the next run continues');
  return deleted;
}
