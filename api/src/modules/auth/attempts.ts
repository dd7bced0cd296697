/** Limits against guessing, and against mails and accounts by the thousand; shared by all API processes, kept over restarts. */
import { clientNetwork } from '@cellhop/contract/network';
import { createHash } from 'node:crypto';
import type { RateLimiterRes } from 'rate-limiter-flexible';
import type { Ctx } from '../../ctx.ts';
import { limiter, rateLimited, type Rule } from '../../rate-limiter.ts';

/**
 * Where passwords and codes are guessed: by a stranger at the sign-in, or by who holds a session and should prove that he
 * is its owner. They are counted apart: a stranger must not keep the owner from changing his password.
 */
type Door = 'sign-in' | 'proof';

export interface Guess {
  door: Door;
  /** The email that was typed, or the user's id. */
  account: string;
  ip: string;
}

const MINUTE_SECONDS = 60;
const HOUR_SECONDS = 60 * MINUTE_SECONDS;
const DAY_SECONDS = 24 * HOUR_SECONDS;
const failuresOfAccount = (door: Door): Rule => ({
  keyPrefix: `${door}-account`,
  points: 5,
  duration: 15 * MINUTE_SECONDS,
});
/** How often an account has used up its failures: each time the next window lasts twice as long. */
const exhaustionsOfAccount = (door: Door): Rule => ({
  keyPrefix: `${door}-exhausted`,
  points: 1,
  duration: DAY_SECONDS,
});
const DOUBLINGS_MAX = 2;
const failuresOfNetwork: Rule = { keyPrefix: 'sign-in-network', points: 30, duration: 15 * MINUTE_SECONDS };
/** Six digits are few: who has the password may still not try them for months. */
const wrongCodesOfAccount: Rule = { keyPrefix: 'wrong-code-account', points: 20, duration: DAY_SECONDS };
const signUpsOfNetwork: Rule = { keyPrefix: 'sign-up-network', points: 60, duration: HOUR_SECONDS };
const signUpsOfAccount: Rule = { keyPrefix: 'sign-up-account', points: 10, duration: HOUR_SECONDS };
/**
 * Of the two together: who has a copy of an access token cannot keep its owner, who is elsewhere, from refreshing. The right token
 * is never refused because of what others in its network do.
 */
const wrongRefreshesOfSession: Rule = { keyPrefix: 'refresh-session', points: 10, duration: 15 * MINUTE_SECONDS };
const wrongRefreshesOfNetwork: Rule = { keyPrefix: 'refresh-network', points: 300, duration: 15 * MINUTE_SECONDS };
/** How many mails one account is sent is the resend policy's business. */
const mailsOfNetwork: Rule = { keyPrefix: 'mail-network', points: 60, duration: HOUR_SECONDS };

/** @throws AppError RATE_LIMITED after too many failures; asked before a password is looked at, and again after */
export async function refuseGuessing(ctx: Ctx, { door, account, ip }: Guess): Promise<void> {
  const rule = failuresOfAccount(door);
  refuseUsedUp(rule, await limiter(ctx, rule).get(keyOf(account)));
  if (isCountedByNetwork(ctx))
    refuseUsedUp(failuresOfNetwork, await limiter(ctx, failuresOfNetwork).get(clientNetwork(ip)));
}

/**
 * @returns whether it was the last that is allowed for now
 * @throws AppError RATE_LIMITED if others were faster: then nothing may be told about what was guessed
 */
export async function countFailure(ctx: Ctx, { door, account, ip }: Guess): Promise<boolean> {
  const key = keyOf(account);
  const rule = failuresOfAccount(door);
  const exhaustions = (await limiter(ctx, exhaustionsOfAccount(door)).get(key))?.consumedPoints ?? 0;
  const customDuration = rule.duration * 2 ** Math.min(exhaustions, DOUBLINGS_MAX);
  const used = await limiter(ctx, rule).penalty(key, 1, { customDuration });
  if (used.consumedPoints === rule.points) await limiter(ctx, exhaustionsOfAccount(door)).penalty(key);
  if (isCountedByNetwork(ctx)) await limiter(ctx, failuresOfNetwork).penalty(clientNetwork(ip));
  if (used.consumedPoints > rule.points) throw rateLimited(used);
  return used.consumedPoints === rule.points;
}

/** After the right password, and after a new one: who owns the account starts afresh. */
export async function forgetFailures(ctx: Ctx, { door, account }: Omit<Guess, 'ip'>): Promise<void> {
  const key = keyOf(account);
  await limiter(ctx, failuresOfAccount(door)).delete(key);
  await limiter(ctx, exhaustionsOfAccount(door)).delete(key);
}

/**
 * Before a code is compared it is counted as a wrong one: of a thousand sent at once no more are compared than of a
 * thousand sent one after the other.
 * @returns whether it was the last that is allowed for now
 * @throws AppError RATE_LIMITED
 */
export async function countCode(ctx: Ctx, guess: Guess, userId: string): Promise<boolean> {
  await refuseGuessing(ctx, guess);
  const isLast = await countFailure(ctx, guess);
  await count(ctx, wrongCodesOfAccount, keyOf(userId));
  return isLast;
}

/** The code was right. */
export async function forgetCodes(ctx: Ctx, guess: Guess, userId: string): Promise<void> {
  await forgetFailures(ctx, guess);
  await limiter(ctx, wrongCodesOfAccount).delete(keyOf(userId));
  if (isCountedByNetwork(ctx)) await limiter(ctx, failuresOfNetwork).reward(clientNetwork(guess.ip));
}

/** @throws AppError RATE_LIMITED after too many wrong refresh tokens for this session from this network */
export async function refuseRefreshing(ctx: Ctx, sessionId: string, ip: string): Promise<void> {
  const rule = wrongRefreshesOfSession;
  refuseUsedUp(rule, await limiter(ctx, rule).get(sessionInNetwork(sessionId, ip)));
}

/** @throws AppError RATE_LIMITED */
export async function countWrongRefresh(ctx: Ctx, sessionId: string, ip: string): Promise<void> {
  await count(ctx, wrongRefreshesOfSession, sessionInNetwork(sessionId, ip));
  await count(ctx, wrongRefreshesOfNetwork, clientNetwork(ip));
}

function sessionInNetwork(sessionId: string, ip: string): string {
  return `${sessionId} ${clientNetwork(ip)}`;
}

/** @throws AppError RATE_LIMITED */
export async function countSignUp(ctx: Ctx, email: string, ip: string): Promise<void> {
  await count(ctx, signUpsOfAccount, keyOf(email));
  if (isCountedByNetwork(ctx)) await count(ctx, signUpsOfNetwork, clientNetwork(ip));
}

/** @throws AppError RATE_LIMITED */
export async function countMail(ctx: Ctx, ip: string): Promise<void> {
  if (isCountedByNetwork(ctx)) await count(ctx, mailsOfNetwork, clientNetwork(ip));
}

async function count(ctx: Ctx, rule: Rule, key: string): Promise<void> {
  const used = await limiter(ctx, rule).penalty(key);
  if (used.consumedPoints > rule.points) throw rateLimited(used);
}

/** Developers and test suites make hundreds of accounts, and mistakes, from one address. */
function isCountedByNetwork(ctx: Ctx): boolean {
  return !ctx.config.isDevelopment;
}

function refuseUsedUp(rule: Rule, used: RateLimiterRes | null): void {
  if (used && used.consumedPoints >= rule.points) throw rateLimited(used);
}

/** The table keeps no addresses of people who mistyped theirs. */
function keyOf(account: string): string {
  return createHash('sha256').update(account).digest('base64url');
}
