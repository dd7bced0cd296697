/** Rate limits against brute force, mail floods and mass sign-up; shared by all API processes and kept over restarts. */
import { VIEWS_PER_HOUR_MAX } from '@cellhop/contract/limits';
import { clientNetwork, clientNetworks, networkShare } from '@cellhop/contract/network';
import { createHash } from 'node:crypto';
import type { RateLimiterRes } from 'rate-limiter-flexible';
import type { Ctx } from '../../ctx.ts';
import { countUse, limiter, rateLimited, type Rule } from '../../db/rate-limiter.ts';

/**
 * Where a password or code is entered: at sign-in, or to re-authenticate within a session. They are counted separately, so that an
 * attacker at sign-in cannot keep the owner from changing their password. The names are part of stored keys.
 */
type AttemptKind = 'sign-in' | 'proof';

export interface Attempt {
  kind: AttemptKind;
  /** The entered email, or the user's id. */
  account: string;
  /** A known device of the account. It has a separate limit, so attackers elsewhere cannot lock it out. */
  deviceId?: string | undefined;
  ip: string;
}

const MINUTE_SECONDS = 60;
const HOUR_SECONDS = 60 * MINUTE_SECONDS;
const DAY_SECONDS = 24 * HOUR_SECONDS;
const failuresOfAccount = (kind: AttemptKind): Rule => ({
  keyPrefix: `${kind}-account`,
  points: 5,
  duration: 15 * MINUTE_SECONDS,
});
/** How often an account has reached the limit: each time the next window is twice as long. */
const exhaustionsOfAccount = (kind: AttemptKind): Rule => ({
  keyPrefix: `${kind}-exhausted`,
  points: 1,
  duration: DAY_SECONDS,
});
const DOUBLINGS_MAX = 2;
const failuresOfNetwork: Rule = { keyPrefix: 'sign-in-network', points: 30, duration: 15 * MINUTE_SECONDS };
/** Six digits can be guessed over months by an attacker who knows the password, hence a limit per day. */
const failedCodesOfAccount: Rule = { keyPrefix: 'wrong-code-account', points: 20, duration: DAY_SECONDS };
const signUpsOfNetwork: Rule = { keyPrefix: 'sign-up-network', points: 60, duration: HOUR_SECONDS };
const signUpsOfAccount: Rule = { keyPrefix: 'sign-up-account', points: 10, duration: HOUR_SECONDS };
/**
 * Per session and network, so that an attacker with a stolen access token in another network cannot keep the owner from refreshing.
 * The limit per network never refuses a valid token.
 */
const failedRefreshesOfSession: Rule = { keyPrefix: 'refresh-session', points: 10, duration: 15 * MINUTE_SECONDS };
const failedRefreshesOfNetwork: Rule = { keyPrefix: 'refresh-network', points: 300, duration: 15 * MINUTE_SECONDS };
/** Mails per account are limited by the resend policy. */
const mailsOfNetwork: Rule = { keyPrefix: 'mail-network', points: 60, duration: HOUR_SECONDS };
/** Views that one member of staff begins, of all users together. */
const viewsOfStaff: Rule = { keyPrefix: 'view-staff', points: VIEWS_PER_HOUR_MAX, duration: HOUR_SECONDS };

/** Call it before and after a password is compared. @throws AppError RATE_LIMITED after too many failures */
export async function throwIfThrottled(ctx: Ctx, attempt: Attempt): Promise<void> {
  const { kind, ip } = attempt;
  const rule = failuresOfAccount(kind);
  throwIfExhausted(rule, await limiter(ctx, rule).get(attemptKey(attempt)));
  for (const { network, rule } of countedNetworks(ctx, failuresOfNetwork, ip))
    throwIfExhausted(rule, await limiter(ctx, rule).get(network));
}

/**
 * @returns whether the limit is now reached
 * @throws AppError RATE_LIMITED if concurrent attempts had already reached it: then the response must not reveal the result
 */
export async function countFailure(ctx: Ctx, attempt: Attempt): Promise<boolean> {
  const { kind, ip } = attempt;
  const key = attemptKey(attempt);
  const rule = failuresOfAccount(kind);
  const exhaustions = (await limiter(ctx, exhaustionsOfAccount(kind)).get(key))?.consumedPoints ?? 0;
  const customDuration = rule.duration * 2 ** Math.min(exhaustions, DOUBLINGS_MAX);
  const used = await limiter(ctx, rule).penalty(key, 1, { customDuration });
  if (used.consumedPoints === rule.points) await limiter(ctx, exhaustionsOfAccount(kind)).penalty(key);
  for (const { network, rule } of countedNetworks(ctx, failuresOfNetwork, ip))
    await limiter(ctx, rule).penalty(network);
  if (used.consumedPoints > rule.points) throw rateLimited(used);
  return used.consumedPoints === rule.points;
}

/** Resets the counters after a correct or a new password. */
export async function resetFailures(ctx: Ctx, attempt: Omit<Attempt, 'ip'>): Promise<void> {
  const { kind } = attempt;
  const key = attemptKey(attempt);
  await limiter(ctx, failuresOfAccount(kind)).delete(key);
  await limiter(ctx, exhaustionsOfAccount(kind)).delete(key);
}

/**
 * Counts a code as wrong before it is compared, so that the limit holds for concurrent attempts too.
 * @returns whether the limit is now reached
 * @throws AppError RATE_LIMITED
 */
export async function countCodeAttempt(ctx: Ctx, attempt: Attempt, userId: string): Promise<boolean> {
  await throwIfThrottled(ctx, attempt);
  const isLast = await countFailure(ctx, attempt);
  await countUse(ctx, failedCodesOfAccount, accountKey(userId));
  return isLast;
}

/** Call it after a correct code. */
export async function resetCodeFailures(ctx: Ctx, attempt: Attempt, userId: string): Promise<void> {
  await resetFailures(ctx, attempt);
  await limiter(ctx, failedCodesOfAccount).delete(accountKey(userId));
  for (const { network, rule } of countedNetworks(ctx, failuresOfNetwork, attempt.ip))
    await limiter(ctx, rule).reward(network);
}

/** @throws AppError RATE_LIMITED after too many wrong refresh tokens for this session from this network */
export async function throwIfRefreshThrottled(ctx: Ctx, sessionId: string, ip: string): Promise<void> {
  const rule = failedRefreshesOfSession;
  throwIfExhausted(rule, await limiter(ctx, rule).get(sessionInNetwork(sessionId, ip)));
}

/** @throws AppError RATE_LIMITED */
export async function countFailedRefresh(ctx: Ctx, sessionId: string, ip: string): Promise<void> {
  await countUse(ctx, failedRefreshesOfSession, sessionInNetwork(sessionId, ip));
  await countUse(ctx, failedRefreshesOfNetwork, clientNetwork(ip));
}

function sessionInNetwork(sessionId: string, ip: string): string {
  return `${sessionId} ${clientNetwork(ip)}`;
}

/** @throws AppError RATE_LIMITED */
export async function countSignUp(ctx: Ctx, email: string, ip: string): Promise<void> {
  await countUse(ctx, signUpsOfAccount, accountKey(email));
  for (const { network, rule } of countedNetworks(ctx, signUpsOfNetwork, ip)) await countUse(ctx, rule, network);
}

/** @throws AppError RATE_LIMITED */
export async function countMail(ctx: Ctx, ip: string): Promise<void> {
  for (const { network, rule } of countedNetworks(ctx, mailsOfNetwork, ip)) await countUse(ctx, rule, network);
}

/** @returns false if the client's network has had its trial credits of the day */
export async function countTrial(ctx: Ctx, ip: string): Promise<boolean> {
  const trialsOfNetwork = {
    keyPrefix: 'trial-network',
    points: ctx.config.trialCreditsPerNetwork,
    duration: DAY_SECONDS,
  };
  for (const { network, rule } of countedNetworks(ctx, trialsOfNetwork, ip))
    if ((await limiter(ctx, rule).penalty(network)).consumedPoints > rule.points) return false;
  return true;
}

/** @throws AppError TOO_MANY_VIEWS */
export async function countView(ctx: Ctx, viewerId: string): Promise<void> {
  const used = await limiter(ctx, viewsOfStaff).penalty(viewerId);
  if (used.consumedPoints > viewsOfStaff.points) throw rateLimited(used, 'TOO_MANY_VIEWS');
}

/**
 * The networks of a client with their shares of a limit, the narrowest first: what it is refused does not count for the others within the
 * wider ones. In development none, because tests create hundreds of accounts and failures from one address.
 */
function countedNetworks(ctx: Ctx, rule: Rule, ip: string): { network: string; rule: Rule }[] {
  if (ctx.config.isDevelopment) return [];
  const networks = clientNetworks(ip).map((network, level) => ({
    network,
    rule: { ...rule, points: networkShare(rule.points, level) },
  }));
  return networks.toReversed();
}

function throwIfExhausted(rule: Rule, used: RateLimiterRes | null): void {
  if (used && used.consumedPoints >= rule.points) throw rateLimited(used);
}

function attemptKey({ account, deviceId }: Omit<Attempt, 'ip'>): string {
  return accountKey(deviceId === undefined ? account : `${account}\n${deviceId}`);
}

/** Hashed, so that the table contains no email addresses. */
function accountKey(account: string): string {
  return createHash('sha256').update(account).digest('base64url');
}
