/** What must be true of the database at every moment. Each module declares its own in its `audit.store.ts`. */
import type { Ctx } from './ctx.ts';

/** How far everything has been verified before. It does not change any more, so a check may leave it out. */
export interface VerifiedMark {
  transferId: bigint;
  /** Of ends and credits. */
  until: Date;
}

/** With this a check looks at everything. */
export const NOTHING_VERIFIED: VerifiedMark = { transferId: 0n, until: new Date(0) };

export interface Invariant {
  /** The rule, as a sentence that is true when all is well. */
  rule: string;
  /** Finds sentences about rows that must not exist. */
  findBroken: (ctx: Ctx, verified: VerifiedMark) => Promise<string[]>;
}

/**
 * An invariant whose rows of the column `broken` must not exist.
 * @param values of the query's parameters; planned for these values, because a mark may leave out nothing or nearly all
 */
export function invariant(
  rule: string,
  sql: string,
  values: (verified: VerifiedMark) => unknown[] = () => [],
): Invariant {
  return {
    rule,
    findBroken: async (ctx, verified) => {
      const rows = await ctx.db.query<{ broken: string }>(sql, values(verified), { isPrepared: false });
      return rows.map((row) => row.broken);
    },
  };
}
