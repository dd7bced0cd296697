import type { Config } from './config.ts';
import type { Database, Db, PoolUse } from './db.ts';
import type { Log } from './log.ts';

/**
 * The first argument of every service function. Inside `ctx.tx(async (ctx) => ...)` the inner `ctx.db` is the
 * transaction; shadowing the outer name leaves no way to reach past it.
 */
export interface Ctx {
  readonly db: Db;
  readonly config: Config;
  readonly log: Log;
  /** The only place that opens a transaction. Inside one it joins it. */
  tx<T>(work: (ctx: Ctx) => Promise<T>): Promise<T>;
  /** Of the connections to the database; for the metrics. */
  poolUse(): PoolUse;
}

export function createCtx(database: Database, config: Config, log: Log): Ctx {
  const outer: Ctx = {
    db: database,
    config,
    log,
    poolUse: () => database.poolUse(),
    tx: (work) =>
      database.transaction((db) => {
        const inner: Ctx = { ...outer, db, tx: (nested) => nested(inner) };
        return work(inner);
      }),
  };
  return outer;
}
