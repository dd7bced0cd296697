/** Sessions: opened by a sign-in, kept alive by refreshing, ended by a log-out, a new password, or a stolen token. */
import type { Tokens } from '@cellhop/contract/auth';
import { AppError } from '@cellhop/contract/errors';
import type { Session } from '@cellhop/contract/security';
import type { Actor } from '../../actor.ts';
import { addressOf, deviceOf, type Client } from '../../client.ts';
import type { Ctx } from '../../ctx.ts';
import { record, recordOwn } from '../audit-log/audit-log.service.ts';
import { secondFactorState } from '../users/second-factor-state.ts';
import type { Credentials } from './auth.store.ts';
import { rememberDevice } from './known-devices.store.ts';
import { sendNotice } from './notices.ts';
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
/** Nobody looks through more; a program that signs in each time may have thousands. */
const LISTED_MAX = 100;

/** The account as it was when the password was compared. */
type SignedIn = Pick<Credentials, 'userId' | 'email' | 'languageCode' | 'passwordHash' | 'hasSecondFactor'>;

/** @returns undefined if the account has changed since the password was compared */
export function openSession(ctx: Ctx, user: SignedIn, client: Client): Promise<Tokens | undefined> {
  return ctx.tx(async (ctx) => {
    const { userId, passwordHash, hasSecondFactor } = user;
    const refreshToken = newSecret();
    const [ip, device] = [addressOf(client), deviceOf(client)];
    const session = await store.insertSession(ctx, {
      userId,
      passwordHash,
      hasSecondFactor,
      refreshTokenHash: hashSecret(refreshToken),
      lifetimeMs: SESSION_LIFETIME_MS,
      ip,
      device,
    });
    if (!session) return undefined;
    await recordOwn(ctx, 'SIGN_IN', userId, client, { sessionId: session.id, hasSecondFactor });
    if (await rememberDevice(ctx, userId, device, ip)) await sendNotice(ctx, 'new-sign-in', user, client);
    return issueTokens(ctx.config.secretKey, { userId, sessionId: session.id }, refreshToken, session.rotatedAt);
  });
}

/** @throws AppError UNAUTHORIZED, ACCOUNT_BLOCKED */
export async function authenticateUser(ctx: Ctx, token: string | undefined): Promise<Actor> {
  const claims = token === undefined ? undefined : await readAccessToken(ctx.config.secretKey, token);
  const row = claims && (await store.findActor(ctx, claims));
  if (!claims || !row || row.status === 'DELETED') throw new AppError('UNAUTHORIZED');
  if (row.status === 'BLOCKED') throw new AppError('ACCOUNT_BLOCKED');
  const { accountId, languageCode } = row;
  const isSecondFactorDue = secondFactorState(ctx.config, row) === 'DUE';
  const permissions = new Set(isSecondFactorDue ? [] : row.permissions);
  return { ...claims, accountId, languageCode, permissions, isSecondFactorDue };
}

/** Of these sessions, those whose users may still go on. */
export async function findOpenSessions(ctx: Ctx, sessionIds: readonly string[]): Promise<ReadonlySet<string>> {
  return new Set(await store.filterOpenSessions(ctx, sessionIds));
}

/** @throws AppError REFRESH_REJECTED; a token from the past has then ended its session */
export async function refresh(
  ctx: Ctx,
  pair: Pick<Tokens, 'accessToken' | 'refreshToken'>,
  client: Client,
): Promise<Tokens> {
  const claims = await readExpiredAccessToken(ctx.config.secretKey, pair.accessToken);
  const rotatedAt = claims && (await ctx.tx((ctx) => rotate(ctx, claims, pair.refreshToken, client)));
  if (!claims || !rotatedAt) throw new AppError('REFRESH_REJECTED');
  const { secretKey } = ctx.config;
  return issueTokens(secretKey, claims, nextRefreshToken(secretKey, pair.refreshToken), rotatedAt);
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

/** @returns when the token was exchanged, now or a moment ago; undefined if it is not to be exchanged */
async function rotate(ctx: Ctx, claims: Claims, refreshToken: string, client: Client): Promise<Date | undefined> {
  const { secretKey } = ctx.config;
  const session = await store.lockSession(ctx, claims);
  if (!session) return undefined;
  const presentedHash = hashSecret(refreshToken);
  if (presentedHash.equals(session.refreshTokenHash)) {
    const nextHash = hashSecret(nextRefreshToken(secretKey, refreshToken));
    return store.rotateSession(ctx, claims.sessionId, nextHash, SESSION_LIFETIME_MS, addressOf(client));
  }
  const isParent = session.previousTokenHash !== null && presentedHash.equals(session.previousTokenHash);
  if (isParent && session.msSinceRotation <= REUSE_GRACE_MS) return session.rotatedAt;
  if (isAncestor(secretKey, refreshToken, session.refreshTokenHash)) {
    // Two parties hold tokens of one session, and nobody can say which of them is the thief.
    ctx.log.warn(claims, 'a spent refresh token came again; its session is over');
    await store.revokeSession(ctx, claims);
    const { userId, sessionId } = claims;
    await record(ctx, { action: 'REFRESH_TOKEN_REUSED', userId, client, details: { sessionId } });
  }
  return undefined;
}
