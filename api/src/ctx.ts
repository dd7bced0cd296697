import type { Config } from './config.ts';
import type { Database, Db, PoolUse, TransactionOptions } from './db.ts';
import { collectChanges, type Owner, type Topic } from './live/changes.ts';
import type { Log } from './log.ts';

/**
 * The first argument of every service function. Inside `ctx.tx(async (ctx) => ...)` the inner `ctx.db` is the
 * transaction; shadowing the outer name leaves no way to reach past it.
 */
export interface Ctx {
  readonly db: Db;
  readonly config: Config;
  readonly log: Log;
  /** The only place that opens a transaction. Inside one it joins it, and the outer one's options hold. */
  tx<T>(work: (ctx: Ctx) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /** Of the connections to the database; for the metrics. */
  poolUse(): PoolUse;
  /** Lets the owner's open pages know that this is no longer what it was. Inside a transaction: once it has committed. */
  changed(owner: Owner, topic: Topic): void;
}

export function createCtx(database: Database, config: Config, log: Log): Ctx {
  const changes = collectChanges(database, log);
  const outer: Ctx = {
    db: database,
    config,
    log,
    poolUse: () => database.poolUse(),
    changed: changes.add,
    async tx(work, options) {
      // Of the attempt that committed: one that was rolled back, or is tried again, tells nothing.
      let announced: [Owner, Topic][] = [];
      const result = await database.transaction((db) => {
        announced = [];
        const inner: Ctx = {
          ...outer,
          db,
          tx: (nested) => nested(inner),
          changed: (owner, topic) => void announced.push([owner, topic]),
        };
        return work(inner);
      }, options);
      for (const [owner, topic] of announced) changes.add(owner, topic);
      return result;
    },
  };
  return outer;
}
