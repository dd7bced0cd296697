/** Sessions: opened by sign-in, extended by token refresh, ended by log-out, a new password, or reuse of a refresh token. */
import type { Session, Tokens } from '@cellhop/contract/auth';
import { AppError } from '@cellhop/contract/errors';
import { clientNetworks } from '@cellhop/contract/network';
import { randomUUID } from 'node:crypto';
import type { AccessClaims, Actor } from '../../http/actor.ts';
import { validAddress, deviceName, type Requester } from '../../http/requester.ts';
import type { Ctx } from '../../ctx.ts';
import { record, recordOwn } from '../audit-log/audit-log.service.ts';
import { secondFactorState } from '../users/users.service.ts';
import { countFailedRefresh, throwIfRefreshThrottled } from './attempts.ts';
import type { Credentials } from './auth.store.ts';
import { rememberDevice } from './known-devices.store.ts';
import { sendSecurityMail } from './security-mails.ts';
import * as store from './sessions.store.ts';
import { limitRefreshes } from './refresh-limiter.ts';
import {
  firstRefreshToken,
  generationOf,
  isTokenOfSession,
  nextRefreshToken,
  repeatRefreshToken,
} from './refresh-tokens.ts';
import { authenticateViewer } from './view-sessions.service.ts';
import { hashSecret, issueTokens, readAccessToken, type Claims } from './tokens.ts';

export { listNeighbours } from './known-devices.store.ts';
export { refreshUsage } from './refresh-limiter.ts';

const SESSION_LIFETIME_MS = 30 * 24 * 60 * 60 * 1000;
/** Within this time a used token returns the same pair again, for concurrent tabs and lost responses. */
const REUSE_GRACE_MS = 10_000;
/** A program that signs in for each run may have thousands. */
const LISTED_MAX = 100;

/** The account when the password was compared. */
type SignedIn = Pick<Credentials, 'userId' | 'email' | 'languageCode' | 'passwordHash' | 'hasSecondFactor'>;

/** @returns undefined if the account has changed since the password was compared */
export function openSession(ctx: Ctx, user: SignedIn, requester: Requester): Promise<Tokens | undefined> {
  return ctx.tx(async (ctx) => {
    const { userId, passwordHash, hasSecondFactor } = user;
    const { secretKeys } = ctx.config;
    const sessionId = randomUUID();
    const refreshToken = firstRefreshToken(secretKeys, sessionId);
    const [ip, device] = [validAddress(requester), deviceName(requester)];
    const session = await store.insertSession(ctx, {
      id: sessionId,
      userId,
      passwordHash,
      hasSecondFactor,
      refreshToken,
      lifetimeMs: SESSION_LIFETIME_MS,
      ip,
      device,
    });
    if (!session) return undefined;
    await recordOwn(ctx, 'SIGN_IN', userId, requester, { sessionId, hasSecondFactor });
    if (await rememberDevice(ctx, userId, device, ip)) await sendSecurityMail(ctx, 'new-sign-in', user, requester);
    return issueTokens(secretKeys, { userId, sessionId }, refreshToken.token, session.rotatedAt);
  });
}

/** @returns undefined if this shop has not signed the token */
export function readToken(ctx: Ctx, token: string): Promise<AccessClaims | undefined> {
  return readAccessToken(ctx.config.secretKeys, token);
}

/** @throws AppError UNAUTHORIZED, ACCOUNT_BLOCKED */
export async function authenticateUser(ctx: Ctx, claims: AccessClaims): Promise<Actor> {
  const { userId, sessionId, viewerId, isExpired } = claims;
  if (isExpired) throw new AppError('UNAUTHORIZED');
  if (viewerId !== undefined) return authenticateViewer(ctx, { userId, sessionId, viewerId });
  const row = await store.findActor(ctx, claims);
  if (!row || row.status === 'DELETED') throw new AppError('UNAUTHORIZED');
  if (row.status === 'BLOCKED') throw new AppError('ACCOUNT_BLOCKED');
  const { accountId, languageCode } = row;
  const isSecondFactorDue = secondFactorState(ctx.config, row) === 'DUE';
  const permissions = new Set(isSecondFactorDue ? [] : row.permissions);
  return { userId, sessionId, accountId, languageCode, permissions, isSecondFactorDue };
}

/** @returns those of the sessions that are open and whose users are active */
export async function findOpenSessions(ctx: Ctx, sessionIds: readonly string[]): Promise<ReadonlySet<string>> {
  return new Set(await store.filterOpenSessions(ctx, sessionIds));
}

/**
 * Compares the token before locking the session, so that invalid tokens do not block the owner.
 * @throws AppError REFRESH_REJECTED, also if a used token came again, which ends its session; ACCOUNT_BLOCKED, RATE_LIMITED,
 *   UNAVAILABLE
 */
export async function refresh(
  ctx: Ctx,
  { accessToken, refreshToken }: Pick<Tokens, 'accessToken' | 'refreshToken'>,
  requester: Requester,
): Promise<Tokens> {
  const { secretKeys } = ctx.config;
  const claims = await readAccessToken(secretKeys, accessToken);
  if (!claims) throw new AppError('REFRESH_REJECTED');
  return limitRefreshes(claims.sessionId, clientNetworks(requester.ip), () =>
    exchange(ctx, claims, refreshToken, requester),
  );
}

async function exchange(ctx: Ctx, claims: Claims, refreshToken: string, requester: Requester): Promise<Tokens> {
  const { secretKeys } = ctx.config;
  await throwIfRefreshThrottled(ctx, claims.sessionId, requester.ip);
  const session = await store.findSession(ctx, claims);
  if (!session) throw new AppError('REFRESH_REJECTED');
  if (!isTokenOfSession(secretKeys, session, refreshToken)) {
    await countFailedRefresh(ctx, claims.sessionId, requester.ip);
    throw new AppError('REFRESH_REJECTED');
  }
  if (session.status === 'BLOCKED') throw new AppError('ACCOUNT_BLOCKED');
  const child = await ctx.tx((ctx) => rotate(ctx, claims, refreshToken, requester));
  if (!child) throw new AppError('REFRESH_REJECTED');
  return issueTokens(secretKeys, claims, child.refreshToken, child.rotatedAt);
}

export function logOut(ctx: Ctx, { userId, sessionId }: Actor, requester: Requester): Promise<Date> {
  return ctx.tx(async (ctx) => {
    await store.revokeSession(ctx, { userId, sessionId });
    await recordOwn(ctx, 'SIGN_OUT', userId, requester, { sessionId });
    return new Date();
  });
}

/** The current session first, then by last use. */
export async function listSessions(ctx: Ctx, { userId, sessionId }: Actor): Promise<Session[]> {
  const rows = await store.listSessionsOfUser(ctx, userId, LISTED_MAX);
  const sessions = rows.map((row) => ({
    id: row.id,
    device: row.device,
    ip: row.ip ?? '',
    createdAt: row.createdAt.toISOString(),
    usedAt: row.usedAt.toISOString(),
    isCurrent: row.id === sessionId,
  }));
  return sessions.sort((one, other) => Number(other.isCurrent) - Number(one.isCurrent));
}

/** @throws AppError NOT_FOUND, also for a session of another user and for one that has ended */
export function revokeSession(ctx: Ctx, { userId }: Actor, sessionId: string, requester: Requester): Promise<void> {
  return ctx.tx(async (ctx) => {
    if (!(await store.revokeSession(ctx, { userId, sessionId }))) throw new AppError('NOT_FOUND', { thing: 'Session' });
    await recordOwn(ctx, 'SESSION_REVOKED', userId, requester, { sessionId });
  });
}

/** @returns the number of ended sessions */
export function revokeOtherSessions(ctx: Ctx, { userId, sessionId }: Actor, requester: Requester): Promise<number> {
  return ctx.tx(async (ctx) => {
    const count = await store.revokeSessionsOfUser(ctx, userId, sessionId);
    await recordOwn(ctx, 'OTHER_SESSIONS_REVOKED', userId, requester, { count });
    return count;
  });
}

/** For users who are unblocked. @returns the number of ended sessions */
export function endAllSessions(ctx: Ctx, userId: string): Promise<number> {
  return store.revokeSessionsOfUser(ctx, userId);
}

/** Those in use live longer without a refresh only if their tokens were issued in the lost time. */
const REFRESHED_EVERY_MS = 20 * 60 * 1000;

/**
 * After a restore of the database: the lost time may have ended sessions that were in use when it began, and has refreshed the others.
 * @param from undefined: unknown; all sessions end
 * @returns the number of ended sessions
 */
export function endSessionsOfLostTime(ctx: Ctx, from: Date | undefined, until: Date | undefined): Promise<number> {
  const earliest = from && new Date(from.getTime() - REFRESHED_EVERY_MS);
  return store.revokeSessionsRefreshed(ctx, earliest ?? null, until ?? null);
}

/**
 * @param presented a current or earlier token of the session
 * @returns its successor and when that was created; undefined if the token must not be exchanged
 */
async function rotate(
  ctx: Ctx,
  claims: Claims,
  presented: string,
  requester: Requester,
): Promise<{ refreshToken: string; rotatedAt: Date } | undefined> {
  const { secretKeys } = ctx.config;
  const session = await store.lockSession(ctx, claims);
  if (session?.status !== 'ACTIVE') return undefined;
  const presentedHash = hashSecret(presented);
  if (presentedHash.equals(session.refreshTokenHash)) {
    const next = nextRefreshToken(secretKeys, session);
    const ip = validAddress(requester);
    const rotatedAt = await store.rotateSession(ctx, claims.sessionId, next, SESSION_LIFETIME_MS, ip);
    return { refreshToken: next.token, rotatedAt };
  }
  const isParent = session.previousTokenHash !== null && presentedHash.equals(session.previousTokenHash);
  if (isParent && session.msSinceRotation <= REUSE_GRACE_MS) {
    const refreshToken = repeatRefreshToken(secretKeys, session);
    return refreshToken === undefined ? undefined : { refreshToken, rotatedAt: session.rotatedAt };
  }
  const { userId, sessionId } = claims;
  if (generationOf(presented) > session.generation) {
    // Its successor was issued in a time that a restore of the database has lost: the user signs in again.
    ctx.log.info({ userId, sessionId }, 'a refresh token is newer than its session; the session was ended');
    await store.revokeSession(ctx, claims);
    return undefined;
  }
  // Two parties hold tokens of the session, and it is unknown which one is the attacker.
  ctx.log.warn({ userId, sessionId }, 'a used refresh token was sent again; its session was ended');
  await store.revokeSession(ctx, claims);
  await record(ctx, { action: 'REFRESH_TOKEN_REUSED', userId, requester, details: { sessionId } });
  return undefined;
}
