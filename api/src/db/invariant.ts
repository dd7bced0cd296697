/**
 * Invariants: rules that always hold for the database. Each module declares its own in `invariants.store.ts`.
 *
 * Each statement of a check runs in its own transaction on a consistent snapshot, so checks work while the system is in use.
 * Statements are far below the statement timeout, so migrations never wait long for them. Tables without a size limit are
 * read in chunks.
 */
import type { Ctx } from '../ctx.ts';

/** Everything up to this mark was verified earlier and is immutable, so an incremental check skips it. */
export interface VerifiedMark {
  transferId: bigint;
  /** For rows with a time: ended connections and credited deposits. */
  until: Date;
}

/** Makes a check read everything. */
export const NOTHING_VERIFIED: VerifiedMark = { transferId: 0n, until: new Date(0) };

/** One check of all invariants. */
export interface InvariantCheck {
  verified: VerifiedMark;
  /** Reads everything, from the first transfer on. */
  isFull: boolean;
  /** Called before each statement. Rejects to cancel the check. */
  step(): Promise<void>;
}

export interface Invariant {
  /** The rule as a sentence that is true while nothing is wrong. */
  rule: string;
  /** @returns descriptions of violations, at most about `BROKEN_MAX` */
  findBroken: (ctx: Ctx, check: InvariantCheck) => Promise<string[]>;
}

/** The check stops at this many violations of a rule, so that the alarm is not delayed. */
export const BROKEN_MAX = 1000;

/** An invariant of small tables: open connections, proxies, accounts. The query selects violations as the column `broken`. */
export function invariant(rule: string, sql: string): Invariant {
  return {
    rule,
    findBroken: async (ctx, check) => {
      await check.step();
      return readBroken(ctx, sql, []);
    },
  };
}

/** How to read a table in chunks in the order of an index. Keys are texts, which keep the microseconds of timestamps. */
export interface Walk {
  /** Selects the column `key` of at most $2 rows after the key $1, in order. */
  next: string;
  /** The condition for rows of a chunk: after $1, up to $2. */
  rows: string;
  /** Rows per chunk; further rows with the last key are included. */
  rowsMax: number;
  /** The key before the first one; undefined to skip the table in this check. */
  from(check: InvariantCheck): string | undefined;
}

/**
 * An invariant of tables without a size limit, checked in chunks.
 * @param sql selects `broken` from the rows that meet the given condition
 */
export function walkedInvariant(rule: string, sql: (rows: string) => string, ...walks: readonly Walk[]): Invariant {
  return {
    rule,
    findBroken: async (ctx, check) => {
      const broken: string[] = [];
      for (const walk of walks)
        for await (const chunk of readChunks(ctx, check, walk)) {
          for (const violation of await readBroken(ctx, sql(walk.rows), chunk)) broken.push(violation);
          if (broken.length >= BROKEN_MAX) return broken;
        }
      return broken;
    },
  };
}

/** Ends at the first chunk that is not full. */
export async function* readChunks(
  ctx: Ctx,
  check: InvariantCheck,
  walk: Walk,
): AsyncGenerator<[after: string, to: string]> {
  let after = walk.from(check);
  while (after !== undefined) {
    await check.step();
    const [end] = await ctx.db.query<{ key: string; count: number }>(
      `select key::text, count(*) over ()::integer as count from (${walk.next}) as chunk order by chunk.key desc limit 1`,
      [after, walk.rowsMax],
      { isPrepared: false },
    );
    if (!end) return;
    yield [after, end.key];
    if (end.count < walk.rowsMax) return;
    after = end.key;
  }
}

/** Not prepared, because a chunk may be nearly empty or the whole table. */
async function readBroken(ctx: Ctx, sql: string, values: unknown[]): Promise<string[]> {
  const rows = await ctx.db.query<{ broken: string }>(sql, values, { isPrepared: false });
  return rows.map((row) => row.broken);
}

/** The start of walks by time. */
export function endOfVerified({ isFull, verified }: InvariantCheck): string {
  return isFull ? '-infinity' : verified.until.toISOString();
}
