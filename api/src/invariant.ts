/**
 * What must be true of the database at every moment. Each module declares its own in its `audit.store.ts`.
 *
 * Each statement of a check is a transaction of its own and sees one moment, so a running shop does not disturb it; each
 * takes far less than the time limit of a statement, so a migration never waits long for it. Tables that grow without end
 * are walked in chunks.
 */
import type { Ctx } from './ctx.ts';

/** How far everything has been verified before. It does not change any more, so a check may leave it out. */
export interface VerifiedMark {
  transferId: bigint;
  /** Of ends and credits. */
  until: Date;
}

/** With this a check looks at everything. */
export const NOTHING_VERIFIED: VerifiedMark = { transferId: 0n, until: new Date(0) };

/** One run of all checks. */
export interface AuditRun {
  verified: VerifiedMark;
  /** Everything is looked at, from the first transfer on. */
  isWhole: boolean;
  /** Called before each statement. Rejects when the run must not go on. */
  step(): Promise<void>;
}

export interface Invariant {
  /** The rule, as a sentence that is true when all is well. */
  rule: string;
  /** Finds sentences about rows that must not exist; not all where there are very many. */
  findBroken: (ctx: Ctx, run: AuditRun) => Promise<string[]>;
}

/** Where so much is broken, more sentences help nobody, and the alarm must not wait for them. */
export const BROKEN_MAX = 1000;

/** An invariant of what stays small: open connections, proxies, accounts. Rows of the column `broken` must not exist. */
export function invariant(rule: string, sql: string): Invariant {
  return {
    rule,
    findBroken: async (ctx, run) => {
      await run.step();
      return readBroken(ctx, sql, []);
    },
  };
}

/** A way through a table in the order of an index. Keys are texts, which lose nothing of a date's microseconds. */
export interface Walk {
  /** Selects the column `key` of at most $2 rows after the key $1, in order. */
  next: string;
  /** The condition for rows of a chunk: after $1, up to $2. */
  rows: string;
  /** Of a chunk. All rows with its last key belong to it too. */
  rowsMax: number;
  /** The key before the first one; undefined: nothing of it is looked at in this run. */
  from(run: AuditRun): string | undefined;
}

/**
 * An invariant of tables that grow without end.
 * @param sql selects `broken` from the rows for which the given condition holds
 */
export function walkedInvariant(rule: string, sql: (rows: string) => string, ...walks: readonly Walk[]): Invariant {
  return {
    rule,
    findBroken: async (ctx, run) => {
      const broken: string[] = [];
      for (const walk of walks)
        for await (const chunk of chunksOf(ctx, run, walk)) {
          for (const sentence of await readBroken(ctx, sql(walk.rows), chunk)) broken.push(sentence);
          if (broken.length >= BROKEN_MAX) return broken;
        }
      return broken;
    },
  };
}

/** Ends when it has caught up with what is being written. */
export async function* chunksOf(ctx: Ctx, run: AuditRun, walk: Walk): AsyncGenerator<[after: string, to: string]> {
  let after = walk.from(run);
  while (after !== undefined) {
    await run.step();
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

/** Planned for these values: a chunk may be nearly empty, or the whole table. */
async function readBroken(ctx: Ctx, sql: string, values: unknown[]): Promise<string[]> {
  const rows = await ctx.db.query<{ broken: string }>(sql, values, { isPrepared: false });
  return rows.map((row) => row.broken);
}

/** For walks by date. */
export function endOfVerified({ isWhole, verified }: AuditRun): string {
  return isWhole ? '-infinity' : verified.until.toISOString();
}
