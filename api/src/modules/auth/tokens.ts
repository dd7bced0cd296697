/**
 * The two tokens of a session. The access token is a signed statement (JWT); the refresh token is opaque and stored as
 * a hash. Each refresh token follows from its parent by a keyed hash, so the child of a token can be given again
 * without storing it, and a token from the past is recognised as an ancestor of the present one.
 */
import type { Tokens } from '@cellhop/contract/auth';
import { jwtVerify, SignJWT } from 'jose';
import { createHash, createHmac, randomBytes } from 'node:crypto';
import { deriveKey } from '../../keys.ts';

const ACCESS_TOKEN_SECONDS = 15 * 60;
const SECRET_BYTES = 32;
/** What a refresh token looks like: 256 bits in base64url. */
const REFRESH_TOKEN_PATTERN = /^[A-Za-z0-9_-]{43}$/;
/** More refreshes than a session sees in a month of constant use; bounds the work that a guess can cause. */
const ANCESTORS_MAX = 4096;

export interface Claims {
  userId: string;
  sessionId: string;
}

/** 256 random bits, for refresh tokens and for the codes in mails. */
export function newSecret(): string {
  return randomBytes(SECRET_BYTES).toString('base64url');
}

/** Enough for secrets of 256 random bits; passwords need more. */
export function hashSecret(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

/** The same arguments give the same pair, to the last bit. */
export async function issueTokens(
  secretKey: string,
  { userId, sessionId }: Claims,
  refreshToken: string,
  issuedAt: Date,
): Promise<Tokens> {
  const issuedSeconds = Math.floor(issuedAt.getTime() / 1000);
  const expirySeconds = issuedSeconds + ACCESS_TOKEN_SECONDS;
  const accessToken = await new SignJWT({ sid: sessionId })
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .setSubject(userId)
    .setIssuedAt(issuedSeconds)
    .setExpirationTime(expirySeconds)
    // Two pairs of one second differ, as they should.
    .setJti(issuedAt.getTime().toString(36))
    .sign(accessKey(secretKey));
  return { accessToken, refreshToken, expiredAccessTokenAt: expirySeconds * 1000 };
}

/** @returns undefined for a token that is forged, malformed or expired */
export function readAccessToken(secretKey: string, token: string): Promise<Claims | undefined> {
  return readClaims(secretKey, token, new Date());
}

/** For refreshing: the signature counts, the expiry does not. */
export function readExpiredAccessToken(secretKey: string, token: string): Promise<Claims | undefined> {
  return readClaims(secretKey, token, new Date(0));
}

export function nextRefreshToken(secretKey: string, refreshToken: string): string {
  return createHmac('sha256', deriveKey(secretKey, 'refresh-token')).update(refreshToken).digest('base64url');
}

/** Was it the session's refresh token once? What was never one is a guess or a mistake, and no reason for alarm. */
export function isAncestor(secretKey: string, refreshToken: string, currentHash: Buffer): boolean {
  if (!REFRESH_TOKEN_PATTERN.test(refreshToken)) return false;
  let token = refreshToken;
  for (let step = 0; step < ANCESTORS_MAX; step++) {
    token = nextRefreshToken(secretKey, token);
    if (hashSecret(token).equals(currentHash)) return true;
  }
  return false;
}

async function readClaims(secretKey: string, token: string, currentDate: Date): Promise<Claims | undefined> {
  try {
    const { payload } = await jwtVerify(token, accessKey(secretKey), { algorithms: ['HS256'], currentDate });
    const { sub, sid } = payload;
    return typeof sub === 'string' && typeof sid === 'string' ? { userId: sub, sessionId: sid } : undefined;
  } catch {
    // Whatever is wrong with it: it is not a token of ours that is valid now.
    return undefined;
  }
}

function accessKey(secretKey: string): Uint8Array {
  return deriveKey(secretKey, 'access-token');
}
