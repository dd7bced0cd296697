/** Sessions: opened by a sign-in, kept alive by refreshing, ended by a log-out, a new password, or a stolen token. */
import type { Tokens } from '@cellhop/contract/auth';
import { AppError } from '@cellhop/contract/errors';
import { clientNetwork } from '@cellhop/contract/network';
import type { Session } from '@cellhop/contract/security';
import { randomUUID } from 'node:crypto';
import type { Actor } from '../../actor.ts';
import { addressOf, deviceOf, type Client } from '../../client.ts';
import type { Ctx } from '../../ctx.ts';
import { record, recordOwn } from '../audit-log/audit-log.service.ts';
import { secondFactorState } from '../users/users.service.ts';
import { countWrongRefresh, refuseRefreshing } from './attempts.ts';
import type { Credentials } from './auth.store.ts';
import { rememberDevice } from './known-devices.store.ts';
import { sendNotice } from './notices.ts';
import * as store from './sessions.store.ts';
import { inRefreshTurn } from './refresh-turns.ts';
import { firstRefreshToken, isTokenOfSession, nextRefreshToken, repeatRefreshToken } from './refresh-tokens.ts';
import { hashSecret, issueTokens, readAccessToken, readExpiredAccessToken, type Claims } from './tokens.ts';

export { refreshesUse } from './refresh-turns.ts';

const SESSION_LIFETIME_MS = 30 * 24 * 60 * 60 * 1000;
/** Two tabs, or an answer that got lost: within this time the same token gives the same pair again. */
const REUSE_GRACE_MS = 10_000;
/** Nobody looks through more; a program that signs in each time may have thousands. */
const LISTED_MAX = 100;

/** The account as it was when the password was compared. */
type SignedIn = Pick<Credentials, 'userId' | 'email' | 'languageCode' | 'passwordHash' | 'hasSecondFactor'>;

/** @returns undefined if the account has changed since the password was compared */
export function openSession(ctx: Ctx, user: SignedIn, client: Client): Promise<Tokens | undefined> {
  return ctx.tx(async (ctx) => {
    const { userId, passwordHash, hasSecondFactor } = user;
    const { secretKeys } = ctx.config;
    const sessionId = randomUUID();
    const refreshToken = firstRefreshToken(secretKeys, sessionId);
    const [ip, device] = [addressOf(client), deviceOf(client)];
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
    await recordOwn(ctx, 'SIGN_IN', userId, client, { sessionId, hasSecondFactor });
    if (await rememberDevice(ctx, userId, device, ip)) await sendNotice(ctx, 'new-sign-in', user, client);
    return issueTokens(secretKeys, { userId, sessionId }, refreshToken.token, session.rotatedAt);
  });
}

/** @throws AppError UNAUTHORIZED, ACCOUNT_BLOCKED */
export async function authenticateUser(ctx: Ctx, token: string | undefined): Promise<Actor> {
  const claims = token === undefined ? undefined : await readAccessToken(ctx.config.secretKeys, token);
  const row = claims && (await store.findActor(ctx, claims));
  if (!claims || !row || row.status === 'DELETED') throw new AppError('UNAUTHORIZED');
  if (row.status === 'BLOCKED') throw new AppError('ACCOUNT_BLOCKED');
  const { userId, sessionId } = claims;
  const { accountId, languageCode } = row;
  const isSecondFactorDue = secondFactorState(ctx.config, row) === 'DUE';
  const permissions = new Set(isSecondFactorDue ? [] : row.permissions);
  return { userId, sessionId, accountId, languageCode, permissions, isSecondFactorDue };
}

/** Of these sessions, those whose users may still go on. */
export async function findOpenSessions(ctx: Ctx, sessionIds: readonly string[]): Promise<ReadonlySet<string>> {
  return new Set(await store.filterOpenSessions(ctx, sessionIds));
}

/**
 * What was presented is compared before the session is locked: a guess keeps nobody waiting.
 * @throws AppError REFRESH_REJECTED; a token from the past has then ended its session. ACCOUNT_BLOCKED, RATE_LIMITED, UNAVAILABLE
 */
export async function refresh(
  ctx: Ctx,
  { accessToken, refreshToken }: Pick<Tokens, 'accessToken' | 'refreshToken'>,
  client: Client,
): Promise<Tokens> {
  const { secretKeys } = ctx.config;
  const claims = await readExpiredAccessToken(secretKeys, accessToken);
  if (!claims) throw new AppError('REFRESH_REJECTED');
  return inRefreshTurn(claims.sessionId, clientNetwork(client.ip), () => exchange(ctx, claims, refreshToken, client));
}

async function exchange(ctx: Ctx, claims: Claims, refreshToken: string, client: Client): Promise<Tokens> {
  const { secretKeys } = ctx.config;
  await refuseRefreshing(ctx, claims.sessionId, client.ip);
  const session = await store.findSession(ctx, claims);
  if (!session) throw new AppError('REFRESH_REJECTED');
  if (!isTokenOfSession(secretKeys, session, refreshToken)) {
    await countWrongRefresh(ctx, claims.sessionId, client.ip);
    throw new AppError('REFRESH_REJECTED');
  }
  if (session.status === 'BLOCKED') throw new AppError('ACCOUNT_BLOCKED');
  const child = await ctx.tx((ctx) => rotate(ctx, claims, refreshToken, client));
  if (!child) throw new AppError('REFRESH_REJECTED');
  return issueTokens(secretKeys, claims, child.refreshToken, child.rotatedAt);
}

export function logOut(ctx: Ctx, { userId, sessionId }: Actor, client: Client): Promise<Date> {
  return ctx.tx(async (ctx) => {
    await store.revokeSession(ctx, { userId, sessionId });
    await recordOwn(ctx, 'SIGN_OUT', userId, client, { sessionId });
    return new Date();
  });
}

/** The present one first, then by last use. */
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

/** @throws AppError NOT_FOUND also for a session of somebody else, and for one that has ended */
export function revokeSession(ctx: Ctx, { userId }: Actor, sessionId: string, client: Client): Promise<void> {
  return ctx.tx(async (ctx) => {
    if (!(await store.revokeSession(ctx, { userId, sessionId }))) throw new AppError('NOT_FOUND', { thing: 'Session' });
    await recordOwn(ctx, 'SESSION_REVOKED', userId, client, { sessionId });
  });
}

/** @returns how many there were */
export function revokeOtherSessions(ctx: Ctx, { userId, sessionId }: Actor, client: Client): Promise<number> {
  return ctx.tx(async (ctx) => {
    const count = await store.revokeSessionsOfUser(ctx, userId, sessionId);
    await recordOwn(ctx, 'OTHER_SESSIONS_REVOKED', userId, client, { count });
    return count;
  });
}

/** Of a user whom staff have unblocked. @returns how many there were */
export function endSessionsOf(ctx: Ctx, userId: string): Promise<number> {
  return store.revokeSessionsOfUser(ctx, userId);
}

/**
 * @param presented is, or was, a token of the session
 * @returns the token that follows it, and when it was made; undefined if it is not to be exchanged
 */
async function rotate(
  ctx: Ctx,
  claims: Claims,
  presented: string,
  client: Client,
): Promise<{ refreshToken: string; rotatedAt: Date } | undefined> {
  const { secretKeys } = ctx.config;
  const session = await store.lockSession(ctx, claims);
  if (session?.status !== 'ACTIVE') return undefined;
  const presentedHash = hashSecret(presented);
  if (presentedHash.equals(session.refreshTokenHash)) {
    const next = nextRefreshToken(secretKeys, session, presented);
    const ip = addressOf(client);
    const rotatedAt = await store.rotateSession(ctx, claims.sessionId, next, SESSION_LIFETIME_MS, ip);
    return { refreshToken: next.token, rotatedAt };
  }
  const isParent = session.previousTokenHash !== null && presentedHash.equals(session.previousTokenHash);
  if (isParent && session.msSinceRotation <= REUSE_GRACE_MS) {
    const refreshToken = repeatRefreshToken(secretKeys, session, presented);
    return refreshToken === undefined ? undefined : { refreshToken, rotatedAt: session.rotatedAt };
  }
  // Two parties hold tokens of one session, and nobody can say which of them is the thief.
  const { userId, sessionId } = claims;
  ctx.log.warn({ userId, sessionId }, 'a spent refresh token came again; its session is over');
  await store.revokeSession(ctx, claims);
  await record(ctx, { action: 'REFRESH_TOKEN_REUSED', userId, client, details: { sessionId } });
  return undefined;
}
