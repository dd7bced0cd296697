/** Rate limits in the database, shared by all processes and kept over restarts. */
import { AppError } from '@cellhop/contract/errors';
import { RateLimiterPostgres, type RateLimiterRes } from 'rate-limiter-flexible';
import type { Ctx } from '../ctx.ts';

export interface Rule {
  keyPrefix: string;
  points: number;
  /** Seconds. */
  duration: number;
}

/** Cheap to make: all state is in the table. */
export function limiter(ctx: Ctx, rule: Rule): RateLimiterPostgres {
  return new RateLimiterPostgres({
    ...rule,
    storeType: 'client',
    storeClient: {
      query: async ({ text, values }: { text: string; values: unknown[] }) => {
        const rows = await ctx.db.query(text, values);
        return { rows, rowCount: rows.length };
      },
    },
    tableName: 'rate_limits',
    // A migration creates the table, and the worker deletes expired rows.
    tableCreated: true,
    clearExpiredByTimeout: false,
  });
}

/** @throws AppError RATE_LIMITED */
export async function countUse(ctx: Ctx, rule: Rule, key: string): Promise<void> {
  const used = await limiter(ctx, rule).penalty(key);
  if (used.consumedPoints > rule.points) throw rateLimited(used);
}

export function rateLimited(
  { msBeforeNext }: RateLimiterRes,
  code: 'RATE_LIMITED' | 'TOO_MANY_VIEWS' = 'RATE_LIMITED',
) {
  const error: AppError = new AppError(code);
  error.retryAfterSeconds = Math.max(1, Math.ceil(msBeforeNext / 1000));
  return error;
}
