/** Secrets, and the access token: a signed statement (JWT) about user and session. */
import type { Tokens } from '@cellhop/contract/auth';
import { idSchema } from '@cellhop/contract/schemas';
import { jwtVerify, SignJWT, type JWTPayload } from 'jose';
import { createHash, randomBytes } from 'node:crypto';
import { z } from 'zod';
import { deriveKey, deriveKeys, type SecretKeys } from '../../keys.ts';

const ACCESS_TOKEN_SECONDS = 15 * 60;
const SECRET_BYTES = 32;
const ISSUER = 'cellhop';
const AUDIENCE = 'cellhop-api';

export interface Claims {
  userId: string;
  sessionId: string;
}

export interface AccessClaims extends Claims {
  /** The version before named neither issuer nor audience. Its tokens count only in sessions that it has served. */
  isOldForm: boolean;
}

const subjectSchema = z.object({ sub: idSchema, sid: idSchema });

/** 256 random bits, for the codes in mails. */
export function newSecret(): string {
  return randomBytes(SECRET_BYTES).toString('base64url');
}

/** Enough for secrets of 256 random bits; passwords need more. */
export function hashSecret(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

/** The same arguments give the same pair, to the last bit. */
export async function issueTokens(
  secretKeys: SecretKeys,
  { userId, sessionId }: Claims,
  refreshToken: string,
  issuedAt: Date,
): Promise<Tokens> {
  const issuedSeconds = Math.floor(issuedAt.getTime() / 1000);
  const expirySeconds = issuedSeconds + ACCESS_TOKEN_SECONDS;
  const accessToken = await new SignJWT({ sid: sessionId })
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .setIssuer(ISSUER)
    .setAudience(AUDIENCE)
    .setSubject(userId)
    .setIssuedAt(issuedSeconds)
    .setExpirationTime(expirySeconds)
    // Two pairs of one second differ, as they should.
    .setJti(issuedAt.getTime().toString(36))
    .sign(deriveKey(secretKeys, 'access-token'));
  return { accessToken, refreshToken, expiredAccessTokenAt: expirySeconds * 1000 };
}

/** @returns undefined for a token that is forged, malformed or expired */
export function readAccessToken(secretKeys: SecretKeys, token: string): Promise<AccessClaims | undefined> {
  return readClaims(secretKeys, token, new Date());
}

/** For refreshing: the signature counts, the expiry does not. */
export function readExpiredAccessToken(secretKeys: SecretKeys, token: string): Promise<AccessClaims | undefined> {
  return readClaims(secretKeys, token, new Date(0));
}

async function readClaims(secretKeys: SecretKeys, token: string, currentDate: Date): Promise<AccessClaims | undefined> {
  const payload = await verify(secretKeys, token, currentDate);
  const subject = subjectSchema.safeParse(payload);
  if (!payload || !subject.success) return undefined;
  const isOldForm = payload.iss === undefined && payload.aud === undefined;
  if (!isOldForm && (payload.iss !== ISSUER || payload.aud !== AUDIENCE)) return undefined;
  return { userId: subject.data.sub, sessionId: subject.data.sid, isOldForm };
}

/** @returns undefined if no key has signed it, or if it is not a token that is valid at that time */
async function verify(secretKeys: SecretKeys, token: string, currentDate: Date): Promise<JWTPayload | undefined> {
  for (const key of deriveKeys(secretKeys, 'access-token')) {
    try {
      const options = { algorithms: ['HS256'], currentDate, requiredClaims: ['exp'] };
      return (await jwtVerify(token, key, options)).payload;
    } catch {
      // Whatever is wrong with it: another key may have signed it.
    }
  }
  return undefined;
}
