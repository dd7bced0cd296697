import type { Config } from './process/config.ts';
import type { Database, Db, PoolUsage, TransactionOptions } from './db/db.ts';
import { collectChanges, type Owner, type Topic } from './live/changes.ts';
import type { Log } from './process/log.ts';

/**
 * The first argument of every service function. Inside `ctx.tx(async (ctx) => ...)` the inner `ctx.db` is the
 * transaction. The inner name shadows the outer one, so that no query can bypass the transaction.
 */
export interface Ctx {
  readonly db: Db;
  readonly config: Config;
  readonly log: Log;
  /** The only way to open a transaction. A nested call joins the outer transaction and ignores its own options. */
  tx<T>(work: (ctx: Ctx) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /** Use of the connection pool, for the metrics. */
  poolUsage(): PoolUsage;
  /** Publishes a live event to the owner's open pages. Inside a transaction: after its commit. */
  changed(owner: Owner, topic: Topic): void;
}

export function createCtx(database: Database, config: Config, log: Log): Ctx {
  const changes = collectChanges(database, log);
  database.beforeClose(changes.end);
  const outer: Ctx = {
    db: database,
    config,
    log,
    poolUsage: () => database.poolUsage(),
    changed: changes.add,
    async tx(work, options) {
      // Reset for each attempt: only the one that commits publishes its events.
      let events: [Owner, Topic][] = [];
      const result = await database.transaction((db) => {
        events = [];
        const inner: Ctx = {
          ...outer,
          db,
          tx: (nested) => nested(inner),
          changed: (owner, topic) => void events.push([owner, topic]),
        };
        return work(inner);
      }, options);
      for (const [owner, topic] of events) changes.add(owner, topic);
      return result;
    },
  };
  return outer;
}

/**
 * For one request: its queries outside of transactions run one after another, so that a share of calls is one of connections, however
 * many queries a call begins at once.
 */
export function inTurn(ctx: Ctx): Ctx {
  let last: Promise<void> = Promise.resolve();
  const query: Db['query'] = async (...given) => {
    const before = last;
    const ended = Promise.withResolvers<void>();
    last = ended.promise;
    await before;
    try {
      return await ctx.db.query(...given);
    } finally {
      ended.resolve();
    }
  };
  return { ...ctx, db: { query } };
}
