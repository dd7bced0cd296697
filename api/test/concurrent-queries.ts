import type { Ctx } from '../src/ctx.ts';

/** The context with a count of the queries that run at once, each of which needs a connection. */
export function countConcurrent(ctx: Ctx): { ctx: Ctx; most: () => number } {
  let running = 0;
  let most = 0;
  const query: Ctx['db']['query'] = async (...query) => {
    running += 1;
    most = Math.max(most, running);
    try {
      return await ctx.db.query(...query);
    } finally {
      running -= 1;
    }
  };
  return { ctx: { ...ctx, db: { query } }, most: () => most };
}
