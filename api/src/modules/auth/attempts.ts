/** Limits against guessing passwords and making accounts by the thousand; shared by all API processes, kept over restarts. */
import { AppError } from '@cellhop/contract/errors';
import { createHash } from 'node:crypto';
import { RateLimiterPostgres, type RateLimiterRes } from 'rate-limiter-flexible';
import type { Ctx } from '../../ctx.ts';

interface Rule {
  keyPrefix: string;
  points: number;
  /** Seconds. */
  duration: number;
}

const MINUTE_SECONDS = 60;
const failuresOfAccount: Rule = { keyPrefix: 'sign-in-account', points: 5, duration: 15 * MINUTE_SECONDS };
const failuresOfNetwork: Rule = { keyPrefix: 'sign-in-network', points: 30, duration: 15 * MINUTE_SECONDS };
/** How often an account has used up its failures: each time the next window lasts twice as long. */
const exhaustionsOfAccount: Rule = { keyPrefix: 'sign-in-exhausted', points: 1, duration: 24 * 60 * MINUTE_SECONDS };
const DOUBLINGS_MAX = 2;
const signUpsOfNetwork: Rule = { keyPrefix: 'sign-up-network', points: 60, duration: 60 * MINUTE_SECONDS };

/** @throws AppError RATE_LIMITED after too many failures; asked before a password is looked at, and again after */
export async function refuseGuessing(ctx: Ctx, email: string, ip: string): Promise<void> {
  refuseUsedUp(failuresOfAccount, await limiter(ctx, failuresOfAccount).get(keyOf(email)));
  if (isCountedByNetwork(ctx))
    refuseUsedUp(failuresOfNetwork, await limiter(ctx, failuresOfNetwork).get(networkOf(ip)));
}

export async function countFailure(ctx: Ctx, email: string, ip: string): Promise<void> {
  const key = keyOf(email);
  const exhaustions = (await limiter(ctx, exhaustionsOfAccount).get(key))?.consumedPoints ?? 0;
  const customDuration = failuresOfAccount.duration * 2 ** Math.min(exhaustions, DOUBLINGS_MAX);
  const { consumedPoints } = await limiter(ctx, failuresOfAccount).penalty(key, 1, { customDuration });
  if (consumedPoints === failuresOfAccount.points) await limiter(ctx, exhaustionsOfAccount).penalty(key);
  if (isCountedByNetwork(ctx)) await limiter(ctx, failuresOfNetwork).penalty(networkOf(ip));
}

/** After the right password, and after a new one: who owns the account starts afresh. */
export async function forgetFailures(ctx: Ctx, email: string): Promise<void> {
  const key = keyOf(email);
  await limiter(ctx, failuresOfAccount).delete(key);
  await limiter(ctx, exhaustionsOfAccount).delete(key);
}

/** @throws AppError RATE_LIMITED */
export async function countSignUp(ctx: Ctx, ip: string): Promise<void> {
  if (!isCountedByNetwork(ctx)) return;
  const used = await limiter(ctx, signUpsOfNetwork).penalty(networkOf(ip));
  if (used.consumedPoints > signUpsOfNetwork.points) throw rateLimited(used);
}

/** Developers and test suites make hundreds of accounts, and mistakes, from one address. */
function isCountedByNetwork(ctx: Ctx): boolean {
  return !ctx.config.isDevelopment;
}

/** Cheap to make: all state is in the table. */
function limiter(ctx: Ctx, rule: Rule): RateLimiterPostgres {
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
    // By a migration; what has expired is swept by the worker.
    tableCreated: true,
    clearExpiredByTimeout: false,
  });
}

function refuseUsedUp(rule: Rule, used: RateLimiterRes | null): void {
  if (used && used.consumedPoints >= rule.points) throw rateLimited(used);
}

function rateLimited({ msBeforeNext }: RateLimiterRes): AppError {
  return AppError.rateLimited(Math.max(1, Math.ceil(msBeforeNext / 1000)));
}

/** The table keeps no addresses of people who mistyped theirs. */
function keyOf(email: string): string {
  return createHash('sha256').update(email).digest('base64url');
}

/** One customer of a provider has a whole /64 of IPv6 addresses. */
export function networkOf(ip: string): string {
  const mapped = /:(\d+\.\d+\.\d+\.\d+)$/.exec(ip);
  if (mapped) return mapped[1]!;
  if (!ip.includes(':')) return ip;
  const [head = '', tail] = ip.split('::');
  const groups = head === '' ? [] : head.split(':');
  const omitted = tail === undefined ? 0 : 8 - groups.length - (tail === '' ? 0 : tail.split(':').length);
  const all = [...groups, ...Array.from({ length: omitted }, () => '0'), ...(tail ? tail.split(':') : [])];
  return `${all.slice(0, 4).join(':')}::/64`;
}
