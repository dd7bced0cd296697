/** Sessions: opened by a sign-in, kept alive by refreshing, ended by a log-out, a new password, or a stolen token. */
import type { Tokens } from '@cellhop/contract/auth';
import { AppError } from '@cellhop/contract/errors';
import type { Actor } from '../../actor.ts';
import type { Ctx } from '../../ctx.ts';
import * as store from './sessions.store.ts';
import {
  hashSecret,
  isAncestor,
  issueTokens,
  newSecret,
  nextRefreshToken,
  readAccessToken,
  readExpiredAccessToken,
  type Claims,
} from './tokens.ts';

const SESSION_LIFETIME_MS = 30 * 24 * 60 * 60 * 1000;
/** Two tabs, or an answer that got lost: within this time the same token gives the same pair again. */
const REUSE_GRACE_MS = 10_000;

/** @returns undefined if the account has changed since the password was compared */
export async function openSession(ctx: Ctx, userId: string, passwordHash: string): Promise<Tokens | undefined> {
  const refreshToken = newSecret();
  const session = await store.insertSession(ctx, {
    userId,
    passwordHash,
    refreshTokenHash: hashSecret(refreshToken),
    lifetimeMs: SESSION_LIFETIME_MS,
  });
  if (!session) return undefined;
  return issueTokens(ctx.config.secretKey, { userId, sessionId: session.id }, refreshToken, session.rotatedAt);
}

/** @throws AppError UNAUTHORIZED, ACCOUNT_BLOCKED */
export async function authenticateUser(ctx: Ctx, token: string | undefined): Promise<Actor> {
  const claims = token === undefined ? undefined : await readAccessToken(ctx.config.secretKey, token);
  const row = claims && (await store.findActor(ctx, claims));
  if (!claims || !row || row.status === 'DELETED') throw new AppError('UNAUTHORIZED');
  if (row.status === 'BLOCKED') throw new AppError('ACCOUNT_BLOCKED');
  const { accountId, languageCode } = row;
  return { ...claims, accountId, languageCode, permissions: new Set(row.permissions) };
}

/** Of these sessions, those whose users may still go on. */
export async function findOpenSessions(ctx: Ctx, sessionIds: readonly string[]): Promise<ReadonlySet<string>> {
  return new Set(await store.listOpenSessions(ctx, sessionIds));
}

/** @throws AppError REFRESH_REJECTED; a token from the past has then ended its session */
export async function refresh(ctx: Ctx, pair: Pick<Tokens, 'accessToken' | 'refreshToken'>): Promise<Tokens> {
  const claims = await readExpiredAccessToken(ctx.config.secretKey, pair.accessToken);
  const rotatedAt = claims && (await ctx.tx((ctx) => rotate(ctx, claims, pair.refreshToken)));
  if (!claims || !rotatedAt) throw new AppError('REFRESH_REJECTED');
  const { secretKey } = ctx.config;
  return issueTokens(secretKey, claims, nextRefreshToken(secretKey, pair.refreshToken), rotatedAt);
}

export async function logOut(ctx: Ctx, { sessionId, userId }: Actor): Promise<Date> {
  await store.revokeSession(ctx, sessionId);
  ctx.changed({ userId }, 'session');
  return new Date();
}

/** @returns when the token was exchanged, now or a moment ago; undefined if it is not to be exchanged */
async function rotate(ctx: Ctx, claims: Claims, refreshToken: string): Promise<Date | undefined> {
  const { secretKey } = ctx.config;
  const session = await store.lockSession(ctx, claims);
  if (!session) return undefined;
  const presentedHash = hashSecret(refreshToken);
  if (presentedHash.equals(session.refreshTokenHash)) {
    const nextHash = hashSecret(nextRefreshToken(secretKey, refreshToken));
    return store.rotateSession(ctx, claims.sessionId, nextHash, SESSION_LIFETIME_MS);
  }
  const isParent = session.previousTokenHash !== null && presentedHash.equals(session.previousTokenHash);
  if (isParent && session.msSinceRotation <= REUSE_GRACE_MS) return session.rotatedAt;
  if (isAncestor(secretKey, refreshToken, session.refreshTokenHash)) {
    // Two parties hold tokens of one session, and nobody can say which of them is the thief.
    ctx.log.warn(claims, 'a spent refresh token came again; its session is over');
    await store.revokeSession(ctx, claims.sessionId);
  }
  return undefined;
}
